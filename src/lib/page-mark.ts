/** The mark by which a page that vmform wrote is known: it may be written over by the next one. */

export type PageKind = "drift" | "plan";

export function pageMark(kind: PageKind): string {
  return `<meta name="generator" content="vmform ${kind}">`;
}
