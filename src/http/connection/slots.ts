/** A limit on how many things run at once; who waits is served in order. */

export type Slots = { run<T>(work: () => Promise<T>): Promise<T> };

export function createSlots(count: number): Slots {
  const waiting: (() => void)[] = [];
  let free = count;
  return {
    async run(work) {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        // The slot is handed over, not freed: nobody can slip in between.
        if (next === undefined) free += 1;
        else next();
      }
    },
  };
}
