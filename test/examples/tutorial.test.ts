/**
 * The tutorial as a newcomer follows it: each block of shell is typed into a terminal, one after the
 * other in one folder, questions are answered as it says, and what it shows is on the screen.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readProjectFile } from "../architecture/project-files.ts";
import { type Command, installCommand } from "../cli/command.ts";
import { converse } from "../cli/converse.ts";
import { isTerminalThere } from "../cli/run-case.ts";
import { isLongRun } from "../helpers/amount.ts";

const hasTerminal = isTerminalThere("the tutorial is not followed");

const page = readProjectFile("docs/tutorial.md");
const parts = page.split(/^```sh\n/m).slice(1);
const steps = parts.map((part) => ({
  commands: part.slice(0, part.indexOf("```\n")),
  shown: (/^```text\n(.*?)^```$/ms.exec(part)?.[1] ?? "").split("\n").filter((line) => line !== ""),
}));

let installed: Command;
let home: string;

beforeAll(() => {
  installed = installCommand();
  home = mkdtempSync(join(tmpdir(), "vmform-tutorial-"));
  writeFileSync(join(home, "where"), home);
});
afterAll(() => {
  installed.remove();
  rmSync(home, { recursive: true, force: true });
});

/** Enter takes what is usual, and only yes is consent. */
function keysAt(screen: string, answered: number): string | undefined {
  const asked = screen.match(/\]: |Only yes is taken as consent: /g) ?? [];
  if (asked.length <= answered) return undefined;
  return asked[answered]?.includes("consent") ? "yes\r" : "\r";
}

describe.skipIf(!hasTerminal || !isLongRun)("the tutorial", () => {
  it("has its steps", () => {
    expect(steps.length).toBeGreaterThan(10);
    expect(steps.filter(({ shown }) => shown.length > 0)).toHaveLength(steps.length);
  });

  it.each(steps)(
    "$commands",
    async ({ commands, shown }) => {
      // A shell of its own goes on where the last one stood.
      const script = join(home, "step.sh");
      const lines = ["stty cols 100 rows 40", `cd "$(cat ${home}/where)"`];
      writeFileSync(script, [...lines, commands, `pwd > ${home}/where`, ""].join("\n"));
      let answered = 0;
      const environment = { HOME: home, NO_COLOR: "1" };
      const call = { command: `bash ${script}`, term: "dumb", environment };
      const { screen } = await converse(installed, home, call, (seen) => {
        const keys = keysAt(seen, answered);
        if (keys !== undefined) answered += 1;
        return keys;
      });
      const text = stripVTControlCharacters(screen).replaceAll("\r", "");
      expect(text).not.toMatch(/^error: |command not found|No such file/m);
      for (const line of shown) expect(text).toContain(line);
      const command = /^vmform (?:apply|destroy)$/m.test(commands);
      expect(answered > 0).toBe(command || /^vmform adopt$/m.test(commands));
    },
    60_000,
  );

  it("leaves a report that a browser opens", () => {
    const report = readFileSync(join(home, "first", "drift.html"), "utf8");
    expect(report).toMatch(/^<!doctype html>/i);
    expect(report).toContain("web-b");
  });
});
