/**
 * The command line under bad input and in real terminals: every folder of `golden` holds the files
 * of one case, `case.yaml` with what to run, and the accepted transcript. `vitest -u` accepts.
 *
 * Besides its transcript, each case proves that nothing changed, unless changing is right; and that
 * whatever was asked for as JSON is JSON, on standard output alone.
 */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, test } from "vitest";
import { some } from "../helpers/amount.ts";
import { readCase } from "./case-file.ts";
import { type Command, installCommand } from "./command.ts";
import { publicJsonProblems } from "./public-json.ts";
import { isMet, runCase } from "./run-case.ts";
import type { Outcome } from "./transcript.ts";

const folder = fileURLToPath(new URL("./golden/", import.meta.url));
const names = readdirSync(folder).toSorted();
const met = { script: isMet("script"), mount: isMet("mount"), permissions: isMet("permissions") };

let installed: Command;

beforeAll(() => {
  installed = installCommand();
});

afterAll(() => installed.remove());

test("there are cases", ({ expect }) => {
  expect(names.length).toBeGreaterThan(50);
});

/** Children are processes of their own: as many at a time as a small machine has cores. */
const atOnce = 2;
let free = atOnce;
const waiting: (() => void)[] = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
  else free -= 1;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }
}

const definitions = names.map((name) => ({ name, ...readCase(join(folder, name)) }));

test.concurrent.for(some(definitions.toReversed(), 2))(
  "$name",
  async (definition, { expect, skip }) => {
    const lacking = definition.needs.filter((need) => !met[need]).join(", ");
    if (lacking !== "") {
      console.warn(`SKIPPED: ${definition.name} needs ${lacking}, which is not to be had here`);
      skip(`needs ${lacking}`);
    }
    const files = join(folder, definition.name);
    const { transcript, outcomes, changes } = await inTurn(() =>
      runCase(definition, files, installed.bin),
    );
    await expect(transcript).toMatchFileSnapshot(join(files, "expected.txt"));
    if (!definition.changes) expect(changes).toEqual([]);
    for (const outcome of outcomes) expect(jsonProblems(outcome)).toEqual([]);
    // A fault of ours is never the accepted answer.
    expect(transcript).not.toContain("a fault of vmform itself");
  },
);

/** Lines that are not as published where JSON was asked for, and anything on standard error. */
function jsonProblems({ command, stdout, stderr, code }: Outcome): readonly string[] {
  if (!/^vmform [^|;&]*-json\b[^|;&]*$/.test(command)) return [];
  const lines = stdout.split("\n").filter((line) => line !== "" && !isJson(line));
  const said = stderr === "" ? lines : [...lines, `standard error: ${stderr}`];
  return said.length > 0 ? said : publicJsonProblems({ command, stdout, stderr, code });
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
