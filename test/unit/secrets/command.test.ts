/** Programs are really started: no shell, a limit, and what they say when they fail. */

import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { type CommandPlace, runCommand } from "../../../src/secrets/command.ts";

const place: CommandPlace = {
  directory: tmpdir(),
  environment: { PATH: process.env.PATH, LAB: "from-the-environment" },
  limitMs: 60_000,
};
const node = process.execPath;

test("gets its words as they are, and the environment", async () => {
  const script = "process.stdout.write(JSON.stringify([process.argv.slice(1), process.env.LAB]))";
  const words = [node, "-e", script, "--", "$HOME; `id`", "two words", "*"];
  const result = await runCommand(words, place);
  expect(result).toEqual({
    kind: "printed",
    output: JSON.stringify([["$HOME; `id`", "two words", "*"], "from-the-environment"]),
  });
});

test("has an empty standard input", async () => {
  const script = "process.stdin.on('data', () => {}).on('end', () => console.log('ended'))";
  expect(await runCommand([node, "-e", script], place)).toEqual({
    kind: "printed",
    output: "ended\n",
  });
});

test.each([
  [
    "of a code, with what it complained of",
    "console.error('no entry\\nlab'); process.exit(3)",
    {
      why: "ended with code 3: no entry | lab",
    },
  ],
  [
    "by a signal",
    "process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000)",
    {
      why: "was ended by SIGTERM",
    },
  ],
  [
    "after half of it",
    "process.stdout.write('half'); process.exitCode = 1",
    {
      why: "ended with code 1",
      output: "half",
    },
  ],
])("ends %s", async (_name, script, expected) => {
  const result = await runCommand([node, "-e", script], place);
  expect(result).toEqual({ kind: "failed", output: "", ...expected });
});

test("is there none", async () => {
  expect(await runCommand(["no-such-program-here"], place)).toEqual({
    kind: "failed",
    why: "cannot be started: there is none",
    output: "",
  });
});

test("leaves something running that keeps its output open", async () => {
  const stays = "setTimeout(() => {}, 20000)";
  const script = `
    const { spawn } = require("node:child_process");
    const agent = spawn(process.execPath, ["-e", "${stays}"], { stdio: "inherit", detached: true });
    console.error(agent.pid); console.log("printed"); process.exit(0);`;
  expect(await runCommand([node, "-e", script], { ...place, limitMs: 15_000 })).toEqual({
    kind: "printed",
    output: "printed\n",
  });
});

test("has a word that no program can be given", async () => {
  expect(await runCommand([node, "a\0b"], place)).toMatchObject({
    kind: "failed",
    why: expect.stringContaining("zero byte") as string,
  });
});

test("does not end: it is ended, and so is what prints without end", async () => {
  const sleeper = await runCommand([node, "-e", "setInterval(() => {}, 1000)"], {
    ...place,
    limitMs: 100,
  });
  expect(sleeper).toMatchObject({ kind: "failed", why: "did not end within 0.1 s" });
  const endless = "const w = () => process.stdout.write('x'.repeat(65536), w); w()";
  expect(await runCommand([node, "-e", endless], place)).toMatchObject({
    kind: "failed",
    why: "printed more than 64 KiB",
  });
});
