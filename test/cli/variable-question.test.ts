/** The question for a variable without a value, in a real terminal. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Command, installCommand } from "./command.ts";
import { type Conversation, converse } from "./converse.ts";
import { isTerminalThere } from "./run-case.ts";

const hasTerminal = isTerminalThere("no question is asked");

let installed: Command;
let folder: string;

beforeAll(() => {
  installed = installCommand();
});
afterAll(() => installed.remove());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "vmform-variable-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const files = `variables:
  owner: { description: Who owns it }
  token: { sensitive: true }
outputs:
  owner: { value: "of \${vars.owner}" }
  length: { value: "\${nonsensitive(size(vars.token))}" }
`;

type Answer = readonly [question: string, keys: string];

/** Types each answer when its question stands there. */
function run(command: string, answers: readonly Answer[]): Promise<Conversation> {
  writeFileSync(join(folder, "main.vmform.yaml"), files);
  const left = [...answers];
  return converse(installed, folder, { command }, (screen) => {
    const [next] = left;
    return next !== undefined && screen.includes(next[0]) ? left.shift()?.[1] : undefined;
  });
}

const owner = "Value of owner (Who owns it): ";

describe.skipIf(!hasTerminal)("a variable without a value", () => {
  test("is asked for, and what is secret is not shown", async () => {
    const { code, screen } = await run("vmform plan", [
      [owner, "ann\r"],
      ["Value of token: ", "hunter2\r"],
    ]);
    expect(screen).toContain('owner: "of ann"');
    expect(screen).toContain("length: 7");
    expect(screen).not.toContain("hunter2");
    expect(code).toBe(0);
  });

  test.each<[string, string, readonly Answer[]]>([
    ["an empty answer", "vmform plan", [[owner, "\r"]]],
    ["validate, which asks nobody", "vmform validate", []],
    ["what is read by a program", "vmform plan --json", []],
    ["a pipe", "vmform plan | cat", []],
    ["a CI job", "CI=1 vmform plan", []],
  ])("%s", async (_what, command, answers) => {
    const { screen } = await run(command, answers);
    expect(screen.includes(owner)).toBe(answers.length > 0);
    expect(screen).toMatch(/CFG026|CFG048/);
  });
});
