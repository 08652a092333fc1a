/** A record whose members are made when they are asked for: of many, a command uses few. */

/** Members are enumerable; each is asked for anew, so what is dear keeps what it has made. */
export function lazyRecord<T>(members: Iterable<readonly [name: string, get: () => T]>): {
  readonly [name: string]: T;
} {
  const record: { [name: string]: T } = {};
  for (const [name, get] of members) Object.defineProperty(record, name, { enumerable: true, get });
  return record;
}
