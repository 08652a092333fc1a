/** Work that many wait for and that is done once. */

export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined;
  return () => (started ??= work());
}

export function oncePer<T>(work: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const started = new Map<string, Promise<T>>();
  return (key) => {
    const known = started.get(key) ?? work(key);
    started.set(key, known);
    return known;
  };
}
