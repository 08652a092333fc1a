/** Records whose members may be absent. */

/** Without the members that are undefined. */
export function compact<T extends object>(
  members: T,
): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  const set = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as { readonly [K in keyof T]?: Exclude<T[K], undefined> };
}
