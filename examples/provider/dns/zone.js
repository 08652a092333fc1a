/** A zone file: one record a line, `www 300 IN A 192.0.2.1`. Every other line is left as it is. */

import { readFile, rename, writeFile } from "node:fs/promises";

const line = /^(\S+)\s+(\d+)\s+IN\s+(A|AAAA|CNAME|TXT)\s+(\S.*?)\s*$/;

/** Records in the order of the file. Empty where there is no file yet. */
export async function readZone(path) {
  return (await linesOf(path)).flatMap((text) => parse(text) ?? []);
}

/** Writes what `change` makes of the record, or takes it out where that is undefined. */
export async function changeRecord(path, { name, kind }, change) {
  const lines = await linesOf(path);
  const at = lines.findIndex((text) => {
    const record = parse(text);
    return record?.name === name && record.kind === kind;
  });
  const record = change(at === -1 ? undefined : parse(lines[at]));
  const written = record === undefined ? [] : [format(record)];
  if (at === -1) lines.push(...written);
  else lines.splice(at, 1, ...written);
  // The file is replaced whole: whoever reads it meanwhile sees the one or the other.
  await writeFile(`${path}.new`, lines.map((text) => `${text}\n`).join(""));
  await rename(`${path}.new`, path);
}

function parse(text) {
  const [, name, ttl, kind, value] = line.exec(text) ?? [];
  return name === undefined ? undefined : { name, kind, value, ttl: Number(ttl) };
}

function format({ name, ttl, kind, value }) {
  return `${name} ${ttl} IN ${kind} ${value}`;
}

async function linesOf(path) {
  try {
    const text = await readFile(path, "utf8");
    return text === "" ? [] : text.split("\n").slice(0, text.endsWith("\n") ? -1 : undefined);
  } catch (error) {
    if (error.code === "ENOENT") return [];
    throw error;
  }
}
