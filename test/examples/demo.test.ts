/** The demo ends well, leaves nothing behind, and the README shows what it really prints. */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isLongRun } from "../helpers/amount.ts";
import { buildProgram } from "../helpers/build.ts";
import { root } from "./copy.ts";
import { type Ended, runNode } from "./program.ts";
import { transcriptOf } from "./transcript.ts";

const program = buildProgram();
const temporary = mkdtempSync(join(tmpdir(), "vmform-demo-test-"));
let demo: Ended;

beforeAll(async () => {
  if (!isLongRun) return;
  const environment = { TMPDIR: temporary, VMFORM_VAR_team: "other", NO_COLOR: "1" };
  const script = join(root, "scripts", "demo.mjs");
  demo = await runNode(script, [program.main], temporary, environment);
});

afterAll(() => {
  rmSync(temporary, { recursive: true, force: true });
});

describe.runIf(isLongRun)("the demo", () => {
  it("ends well", () => {
    expect(demo).toMatchObject({ code: 0, stderr: "" });
    expect(demo.stdout.match(/\(exit code \d+\)/g)?.join(" ")).toBe(
      "(exit code 2) (exit code 0) (exit code 2) (exit code 0) (exit code 0)",
    );
  });

  it("leaves nothing behind", () => {
    expect(readdirSync(temporary)).toEqual([]);
  });

  it("fits into 40 columns with its own lines", () => {
    const own = demo.stdout.split("\n").filter((line) => /^(?:#|\$|POST| {2}\{|\()/.test(line));
    expect(own.length).toBeGreaterThan(20);
    expect(own.filter((line) => line.length > 40)).toEqual([]);
  });

  it("prints no escape codes when it is piped", () => {
    expect(demo.stdout).not.toContain("\u001b");
  });

  it("is what the README shows", async () => {
    const path = join(root, "README.md");
    const readme = readFileSync(path, "utf8");
    const [before, after] = readme.split(/(?<=\n```text\n)\$ vmform plan[^]*?(?=\n```\n)/);
    expect(after, "README.md has no transcript").toBeDefined();
    const transcript = transcriptOf(demo.stdout).replace(/^# 1[^$]*/, "");
    // Accepted with `vitest -u`, like a golden file.
    await expect(`${before}${transcript}${after}`).toMatchFileSnapshot(path);
  });
});
