/**
 * The name at a place of a text: a root and its steps (`daemon_vm.web["a"].id`). Read from the text
 * alone, since what is being typed is no expression yet. Lines are bounded, so nothing takes long.
 */

export type ChainStep = {
  readonly text: string;
  readonly form: "root" | "field" | "key";
  /** Offsets of the step's own characters in the line. */
  readonly start: number;
  readonly end: number;
};

export type Chain = {
  readonly steps: readonly ChainStep[];
  /** The last step is still being typed: after a dot, or within a key. */
  readonly isOpen: boolean;
  /** Within `${ }`; elsewhere it may be an address. */
  readonly isExpression: boolean;
};

/** As far as a line is looked at, to each side. */
const reach = 4000;
const step = String.raw`\.[A-Za-z_]\w*|\["(?:[^"\\]|\\.)*"\]|\[[A-Za-z_][\w.]*\]|\[\d+\]`;
const tailPattern = String.raw`\.|\["(?:[^"\\]|\\.)*|\[`;
const begun = new RegExp(`([A-Za-z_]\\w*)((?:${step})*)(${tailPattern})?$`);
const stepPattern = /\.([A-Za-z_]\w*)|\["((?:[^"\\]|\\.)*)"\]|\[([^\]]*)\]/y;

/** What stands before the cursor, to complete it; an empty root where nothing does. */
export function chainBefore(line: string, at: number): Chain {
  const from = Math.max(0, at - reach);
  const before = line.slice(from, at);
  const isExpression = isWithinExpression(before);
  const match = begun.exec(before);
  if (match === null) return { steps: [], isOpen: true, isExpression };
  const [, root = "", rest = "", tail = ""] = match;
  const start = from + match.index;
  const steps = stepsOf(root, rest, start);
  const isKey = tail.startsWith("[");
  if (tail !== "") {
    const text = isKey ? tail.replace(/^\["?/, "") : "";
    // With the quote, which a completion writes anew.
    const keyStart = isKey ? at - tail.length + 1 : at;
    steps.push({ text, form: isKey ? "key" : "field", start: keyStart, end: at });
  }
  return { steps, isOpen: true, isExpression };
}

/** The name that the place stands in, up to the step that it stands in. */
export function chainAt(line: string, at: number): Chain | undefined {
  const ahead = /^(?:\w*(?:"?\])?|[^"\]]*"\])/.exec(line.slice(at, at + reach))?.[0] ?? "";
  for (const end of [at + ahead.length, at + (/^\w*/.exec(ahead)?.[0].length ?? 0)]) {
    const chain = chainBefore(line, end);
    const last = chain.steps.at(-1);
    if (last !== undefined && last.text !== "" && last.start <= at && at <= last.end) {
      return { ...chain, isOpen: false };
    }
  }
  return undefined;
}

function stepsOf(root: string, rest: string, start: number): ChainStep[] {
  const steps: ChainStep[] = [{ text: root, form: "root", start, end: start + root.length }];
  const from = start + root.length;
  stepPattern.lastIndex = 0;
  for (let match = stepPattern.exec(rest); match !== null; match = stepPattern.exec(rest)) {
    const [whole, field, key, other] = match;
    const end = from + match.index + whole.length;
    const begin = from + match.index + 1;
    const text = field ?? key ?? other ?? "";
    steps.push({ text, form: field === undefined ? "key" : "field", start: begin, end });
  }
  return steps;
}

/** The last `${` is not closed. */
function isWithinExpression(before: string): boolean {
  const open = before.lastIndexOf("${");
  if (open === -1 || (open > 0 && before[open - 1] === "$")) return false;
  let depth = 0;
  for (const character of before.slice(open + 2).replaceAll(/"(?:[^"\\]|\\.)*"/g, "")) {
    if (character === "{") depth += 1;
    if (character === "}") depth -= 1;
    if (depth < 0) return false;
  }
  return true;
}

/** Keys of the blocks that enclose a line, outermost first, told by indentation alone. */
export function enclosingKeys(lines: (line: number) => string, line: number): readonly string[] {
  const keys: string[] = [];
  let indent = Number.POSITIVE_INFINITY;
  for (let at = line; at >= 0 && indent > 0; at -= 1) {
    const text = lines(at).slice(0, reach);
    const match = /^( *)(?:- +)?(?:"([^"]*)"|'([^']*)'|([^\s#'"{[-][^:]*?)) *:(?:\s|$)/.exec(text);
    const own = match?.[1]?.length ?? 0;
    if (match === null && at === line) {
      // A dash may stand in the column of the key that its list belongs to.
      indent = (/^ */.exec(text)?.[0].length ?? 0) + (/^ *-(?: |$)/.test(text) ? 1 : 0);
    }
    if (match === null || own >= indent) continue;
    keys.unshift(match[2] ?? match[3] ?? match[4] ?? "");
    indent = own;
  }
  return keys;
}
