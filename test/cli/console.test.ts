/** `vmform console` in a real terminal: the prompt, a mistake that ends nothing, and the ways out. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type Command, installCommand } from "./command.ts";
import { type Conversation, converse } from "./converse.ts";
import { isTerminalThere } from "./run-case.ts";

const hasTerminal = isTerminalThere("there is no terminal");

let installed: Command;
let folder: string;

beforeAll(() => {
  installed = installCommand();
});
afterAll(() => installed.remove());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "vmform-console-"));
  writeFileSync(join(folder, "main.vmform.yaml"), "locals: { a: 20 }\n");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Types one text at each prompt; what stood on the screen, and the exit code. */
async function answer(answers: readonly string[]): Promise<Conversation> {
  let answered = 0;
  const terminal = { command: "vmform console", term: "dumb" };
  const { code, screen } = await converse(installed, folder, terminal, (shown) => {
    const prompts = shown.split(/(?:^|\n)> /).length - 1;
    if (prompts <= answered) return undefined;
    answered += 1;
    return answers[answered - 1] ?? "";
  });
  return { code, screen: screen.replaceAll("\r", "") };
}

test.skipIf(!hasTerminal).each<[string, string]>([
  ["exit", "exit\r"],
  ["the end of input", "\u0004"],
  ["Ctrl-C", "\u0003"],
])("a value, a mistake, a value, and %s", async (_name, ending) => {
  const { code, screen } = await answer(["locals.a + 1\r", "locals.b\r", "locals.a * 2\r", ending]);
  expect(screen).toContain("One expression on each line; help tells more, exit or Ctrl-D ends.");
  expect(screen).toContain("> locals.a + 1\n21\n");
  expect(screen).toContain("(CFG024)");
  expect(screen).toContain("> locals.a * 2\n40\n");
  expect(screen.endsWith("\n")).toBe(true);
  expect(code).toBe(0);
});

test.skipIf(!hasTerminal)("help, and what Tab makes of the beginning of a name", async () => {
  writeFileSync(join(folder, "main.vmform.yaml"), "locals: { answer: 20, other: 1 }\n");
  // Keys that come at once are a paste, in which Tab completes nothing.
  const keys: [RegExp, string][] = [
    [/> $/, "help\r"],
    [/functions\.md[^]*> $/, "1 + locals.an"],
    [/1 \+ locals\.an$/, "\t"],
    [/1 \+ locals\.answer$/, "\r"],
    [/\n21\n> $/, "exit\r"],
  ];
  const terminal = { command: "vmform console", term: "xterm" };
  const { code } = await converse(installed, folder, terminal, (shown) => {
    const plain = stripVTControlCharacters(shown).replaceAll("\r", "");
    if (!keys[0]?.[0].test(plain)) return undefined;
    return keys.shift()?.[1];
  });
  expect(keys).toEqual([]);
  expect(code).toBe(0);
});
