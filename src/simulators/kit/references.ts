/** References of a manager, such as `vm-101`, as a world file gives them or leaves them out. */

export type Referred = {
  /** What the reference is unique in, such as a manager. */
  readonly scope?: string;
  /** As the file has it. */
  readonly moref: string | undefined;
};

/**
 * The references of all, in order. One that the file leaves out is given by place within its scope,
 * or is the next that nothing has: `numbered` gives another one for every place. `repeated` is told
 * of each that another one has already.
 */
export function referencesOf(
  all: readonly Referred[],
  numbered: (place: number) => string,
  repeated: (index: number, reference: string) => void,
): readonly string[] {
  const taken = new Set<string>();
  const take = (scope: string | undefined, reference: string): boolean => {
    const key = JSON.stringify([scope ?? "", reference]);
    const isFree = !taken.has(key);
    taken.add(key);
    return isFree;
  };
  for (const [index, { scope, moref }] of all.entries()) {
    if (moref !== undefined && !take(scope, moref)) repeated(index, moref);
  }
  const places = new Map<string | undefined, number>();
  return all.map(({ scope, moref }) => {
    const place = places.get(scope) ?? 0;
    places.set(scope, place + 1);
    if (moref !== undefined) return moref;
    let free = place;
    while (!take(scope, numbered(free))) free += 1;
    return numbered(free);
  });
}
