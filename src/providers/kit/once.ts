/** Work that many wait for and that is done once. */

export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined;
  return () => (started ??= work());
}

/** As `once`, by key. */
export function oncePer<T>(work: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const started = new Map<string, Promise<T>>();
  return (key) => {
    const known = started.get(key) ?? work(key);
    started.set(key, known);
    return known;
  };
}

/** As `once`; what failed is done again for the next who asks. */
export function onceDone<T>(work: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined;
  return () => {
    started ??= work().catch((error: unknown) => {
      started = undefined;
      throw error;
    });
    return started;
  };
}

/** What several ask for in the same turn of the event loop is done for all of them at once. */
export function together<T>(
  work: (keys: readonly string[]) => Promise<T>,
): (key: string) => Promise<T> {
  let waiting: { readonly keys: Set<string>; readonly done: Promise<T> } | undefined;
  return (key) => {
    if (waiting === undefined) {
      const keys = new Set<string>();
      const turn = new Promise<void>((resolve) => void setImmediate(resolve));
      const done = turn.then(() => {
        waiting = undefined;
        return work([...keys]);
      });
      waiting = { keys, done };
    }
    waiting.keys.add(key);
    return waiting.done;
  };
}
