/** What is due first comes out first; of equals, what was put in first. */

type Entry<T> = { readonly key: number; readonly order: number; readonly item: T };

export type Heap<T> = {
  readonly push: (key: number, item: T) => void;
  readonly pop: () => Entry<T> | undefined;
};

export function createHeap<T>(): Heap<T> {
  const entries: Entry<T>[] = [];
  let order = 0;
  const isBefore = (left: number, right: number): boolean => {
    const [one, other] = [entries[left], entries[right]];
    if (one === undefined || other === undefined) return false;
    return one.key < other.key || (one.key === other.key && one.order < other.order);
  };
  const swap = (left: number, right: number): void => {
    const [one, other] = [entries[left], entries[right]];
    if (one === undefined || other === undefined) return;
    entries[left] = other;
    entries[right] = one;
  };
  const rise = (from: number): void => {
    for (let at = from; at > 0; ) {
      const above = (at - 1) >> 1;
      if (!isBefore(at, above)) return;
      swap(at, above);
      at = above;
    }
  };
  const sink = (): void => {
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const least = isBefore(right, left) ? right : left;
      if (!isBefore(least, at)) return;
      swap(at, least);
      at = least;
    }
  };
  return {
    push: (key, item) => {
      entries.push({ key, order, item });
      order += 1;
      rise(entries.length - 1);
    },
    pop: () => {
      const top = entries[0];
      const last = entries.pop();
      if (top === undefined || last === undefined) return undefined;
      if (entries.length > 0) {
        entries[0] = last;
        sink();
      }
      return top;
    },
  };
}
