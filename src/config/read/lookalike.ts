/** Texts that look as if more was meant: expressions of other tools, and what YAML cuts off. */

type Lookalike = { readonly detail: string; readonly fix: string };

const roots = "(?:vars|locals|each|count|data)";
const doubleBraces = new RegExp(String.raw`\{\{\s*(${roots}\.[^{}]*?)\s*\}\}`);
const bareDollar = new RegExp(String.raw`\$(${roots}\.\w+)`);

/** `behind` is what follows the text in the file; undefined when the text is as it looks. */
export function lookalike(text: string, plain: boolean, behind: string): Lookalike | undefined {
  const braced = doubleBraces.exec(text) ?? bareDollar.exec(text);
  if (braced !== null) {
    const [written, expression = ""] = braced;
    return { detail: `${written} is a plain text here.`, fix: `Write \${${expression}}.` };
  }
  const cut = plain ? /^[ \t]+(#\d+)/.exec(behind) : null;
  if (cut === null) return undefined;
  const detail = `YAML takes the rest of this line, from ${cut[1] ?? "#"} on, for a comment.`;
  return { detail, fix: "Write it quoted, or put a space behind the # of a comment." };
}
