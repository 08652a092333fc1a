/** CSV as RFC 4180 has it, with a line of names first. */

import { boundList, failure } from "../function-entry.ts";

type Row = { readonly fields: readonly string[]; readonly line: number };

export function csvRows(text: string): readonly ReadonlyMap<string, string>[] {
  const [head, ...rows] = rowsOf(text.replace(/^\uFEFF/, ""));
  if (head === undefined) return [];
  const twice = head.fields.find((name, at) => head.fields.indexOf(name) !== at);
  if (twice !== undefined)
    throw failure(`csvdecode(): the name ${JSON.stringify(twice)} stands twice`);
  return rows.map(({ fields, line }) => {
    if (fields.length !== head.fields.length) {
      throw failure(
        `csvdecode(): line ${line} has ${fields.length} values, the first line ` +
          `${head.fields.length} names`,
      );
    }
    return new Map(head.fields.map((name, at) => [name, fields[at] ?? ""]));
  });
}

function rowsOf(text: string): readonly Row[] {
  const rows: Row[] = [];
  let fields: string[] = [];
  let at = 0;
  let line = 1;
  let begin = 1;
  while (at < text.length) {
    const field = text[at] === '"' ? quoted(text, at, line) : plain(text, at);
    fields.push(field.value);
    line += field.lines;
    at = field.end;
    if (text[at] === ",") {
      at += 1;
      // A comma at the very end has an empty value behind it.
      if (at < text.length) continue;
      fields.push("");
    } else if (text[at] === "\r" && text[at + 1] === "\n") {
      at += 2;
    } else if (text[at] === "\n") {
      at += 1;
    } else if (at < text.length) {
      throw failure(`csvdecode(): line ${line}: only a comma may follow a quoted value`);
    }
    line += 1;
    if (fields.length > 1 || fields[0] !== "") rows.push({ fields, line: begin });
    boundList("csvdecode()", rows.length);
    fields = [];
    begin = line;
  }
  return rows;
}

type Field = { readonly value: string; readonly end: number; readonly lines: number };

const plainPattern = /[^,\n\r]*/y;

function plain(text: string, at: number): Field {
  plainPattern.lastIndex = at;
  const value = plainPattern.exec(text)?.[0] ?? "";
  return { value, end: at + value.length, lines: 0 };
}

function quoted(text: string, start: number, line: number): Field {
  let value = "";
  for (let at = start + 1; ; ) {
    const quote = text.indexOf('"', at);
    if (quote === -1) throw failure(`csvdecode(): line ${line}: a quoted value has no end`);
    value += text.slice(at, quote);
    if (text[quote + 1] !== '"') {
      return { value, end: quote + 1, lines: value.split("\n").length - 1 };
    }
    value += '"';
    at = quote + 2;
  }
}
