/**
 * What is wrong with an address that breaks the pattern of one: said in words, and with the address
 * to write instead. Nothing of a login that stands in it is ever part of the words.
 */

/** The pattern of every `url` of a provider begins so. */
export const urlPatternStart = "^https?://";

/** A sentence without its end. Undefined where the pattern says it best. */
export function urlMistake(written: string): string | undefined {
  const text = written.trim();
  const [, scheme, rest = ""] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(text) ?? [];
  if (scheme === undefined) {
    // A login could stand anywhere in it.
    if (text === "" || text.includes("@") || !URL.canParse(`https://${text}`)) {
      return "must begin with https:// (or http://)";
    }
    return `must begin with https:// (or http://): write https://${text.replace(/[?#].*$/s, "")}`;
  }
  if (!/^https?$/i.test(scheme)) return "must begin with https:// or http://";
  const authority = /^[^/?#]*/.exec(rest)?.[0] ?? "";
  if (rest.includes("@")) {
    return "must not hold a login: name user and password in settings of their own";
  }
  if (authority === "") return "names no host behind the //";
  if (!/[?#]/.test(rest)) return undefined;
  return (
    "must not hold a ? or #, as the address of a page in a browser does: " +
    `write ${scheme}://${authority}`
  );
}
