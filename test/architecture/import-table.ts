/**
 * The import table of `ARCHITECTURE.md` as data. The document is the single source: the tests read
 * the very table that people read.
 */

export type ImportRow = {
  /** A folder of `src`, or `main.ts`. */
  readonly folder: string;
  /** Folders it may import, besides itself. */
  readonly mayImport: ReadonlySet<string>;
  readonly packages: readonly string[];
};

const header = ["folder", "may import", "packages it owns"];

/**
 * Rows of the table in their order. Throws when there is not exactly one such table, when a cell
 * says something this reader does not know, or when a row names a folder that stands below it: the
 * order of the rows is the proof that imports cannot form a circle.
 */
export function parseImportTable(markdown: string): readonly ImportRow[] {
  const lines = markdown.split("\n");
  const starts = lines.flatMap((line, index) => (isHeader(line) ? [index] : []));
  const start = starts[0];
  if (start === undefined || starts.length > 1) {
    throw new Error(`found ${starts.length} import tables, expected one`);
  }
  const rows: ImportRow[] = [];
  // The line after the header is the rule of dashes.
  for (const line of lines.slice(start + 2)) {
    if (!line.startsWith("|")) break;
    rows.push(parseRow(line, rows));
  }
  if (rows.length === 0) throw new Error("the import table is empty");
  return rows;
}

function isHeader(line: string): boolean {
  return line.startsWith("|") && header.every((title, index) => cellsOf(line)[index] === title);
}

function cellsOf(line: string): readonly string[] {
  return line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}

function parseRow(line: string, above: readonly ImportRow[]): ImportRow {
  const cells = cellsOf(line);
  const [first = "", second = "", third = ""] = cells;
  const [folder, ...others] = namesIn(first);
  if (cells.length !== header.length || folder === undefined || others.length > 0) {
    throw new Error(`not a row of the import table: ${line}`);
  }
  const known = above.map((row) => row.folder);
  if (known.includes(folder)) throw new Error(`two rows for ${folder}`);
  return {
    folder,
    mayImport: new Set(parseAllowed(folder, second, known)),
    packages: namesIn(third),
  };
}

function parseAllowed(folder: string, cell: string, above: readonly string[]): readonly string[] {
  const names = namesIn(cell);
  for (const name of names) {
    if (!above.includes(name)) throw new Error(`${folder} names ${name}, which is not above it`);
  }
  if (cell.startsWith("everything above except ")) {
    return above.filter((name) => !names.includes(name));
  }
  if (/^everything\b/.test(cell) && names.length === 0) return above;
  if (cell.replaceAll(/`[^`]*`/g, "").replaceAll(/[,\s]/g, "") !== "") {
    throw new Error(`cannot read what ${folder} may import: ${cell}`);
  }
  return names;
}

/** The words in back quotes. */
function namesIn(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "");
}
