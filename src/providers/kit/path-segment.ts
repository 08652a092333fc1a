/** A name within the path of a request. */

/** Whether it holds no half of a pair of surrogates, which can be written in no path. */
export function isWhole(name: string): boolean {
  return !/\p{Cs}/u.test(name);
}

/** Of what is read: what cannot be written stands for a name that nothing has. */
export function pathSegment(name: string): string {
  return encodeURIComponent(name.replaceAll(/\p{Cs}/gu, "\u{fffd}"));
}

/** Of what is changed: undefined where another object could be meant. */
export function exactSegment(name: string): string | undefined {
  return isWhole(name) ? encodeURIComponent(name) : undefined;
}
