/** The question of an approval, in a real terminal: what counts as yes, and how to get away. */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type RunningSimulators, startSimulators } from "../../src/simulators/start.ts";
import { onlyInLongRun, some } from "../helpers/amount.ts";
import { type Command, installCommand } from "./command.ts";
import { recordedVms, worldOfVms } from "./recorded-vms.ts";
import { isTerminalThere } from "./run-case.ts";

const hasTerminal = isTerminalThere("no question is asked");

let installed: Command;
let folder: string;
let simulators: RunningSimulators;

beforeAll(() => {
  installed = installCommand();
});
afterAll(() => installed.remove());
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "vmform-question-"));
  simulators = await startSimulators({ world: worldOfVms(2) });
});
afterEach(async () => {
  await simulators.stop();
  rmSync(folder, { recursive: true, force: true });
});

type Asked = { readonly code: number | null; readonly screen: string };

/** Runs `vmform apply` in a terminal and types an answer whenever a question stands there. */
async function answer(
  keys: string | readonly string[],
  resource = "id: new",
  columns = 80,
): Promise<Asked> {
  const url = simulators.origins.daemon;
  const resources = `resources: { daemon_vm.web: { count: 1, ${resource} } }`;
  writeFileSync(
    join(folder, "main.vmform.yaml"),
    `providers: { daemon: { url: "${url}" } }\n${resources}\n`,
  );
  const child = spawn("script", ["-qefc", `stty cols ${columns}; vmform apply`, "/dev/null"], {
    cwd: folder,
    env: { PATH: `${installed.bin}:${process.env.PATH ?? ""}`, HOME: folder, TERM: "xterm" },
  });
  return typed(child, typeof keys === "string" ? [keys] : keys);
}

function typed(child: ChildProcessWithoutNullStreams, keys: readonly string[]): Promise<Asked> {
  let screen = "";
  let asked = 0;
  return new Promise((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      screen += text;
      const questions = screen.replaceAll(/\s+/g, " ").split("is taken as consent:").length - 1;
      if (questions <= asked) return;
      child.stdin.write(keys[asked] ?? "\u0003");
      asked += 1;
    });
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, screen }));
  });
}

const mutations = (): number => simulators.log().filter((entry) => entry.class === "mutate").length;

describe.skipIf(!hasTerminal)("the question", () => {
  test("yes applies", async () => {
    const { code, screen } = await answer("yes\r");
    expect(screen).toContain("Do this? Only yes is taken as consent:");
    expect(screen).toContain("Apply complete! Resources: 1 added");
    expect(code).toBe(0);
  });

  test("a narrow terminal breaks no word of it", onlyInLongRun, async () => {
    writeState();
    const { code, screen } = await answer("yes\r", "id: web-0, tag: new", 40);
    const question =
      /Do this.*?consent: /s.exec(screen.replaceAll("\r", ""))?.[0].split("\n") ?? [];
    expect(question.join(" ")).toBe(
      "Do this, with replace of daemon_vm.web[0]? Only yes is taken as consent: ",
    );
    expect(question.length).toBeGreaterThan(1);
    for (const line of question) expect(line.length).toBeLessThanOrEqual(40);
    expect(code).toBe(0);
  });

  test("yes consents to the disruptions that were named", async () => {
    writeState();
    const { code, screen } = await answer("yes\r", "id: web-0, tag: new");
    expect(screen).toContain("This plan needs consent: replace: daemon_vm.web[0].");
    expect(screen).toContain("Do this, with replace of daemon_vm.web[0]?");
    expect(screen).toContain("Apply complete! Resources: 1 added, 0 changed, 1 destroyed.");
    expect(code).toBe(0);
  });

  test(
    "each kind of disruption is a question of its own, with its objects",
    onlyInLongRun,
    async () => {
      writeState(2);
      const { code, screen } = await answer(["yes\r", "yes\r", "yes\r"], "id: web-0, tag: new");
      const flat = screen.replaceAll(/\s+/g, " ");
      expect(flat).toContain("Consent (1 of 2) to replace of daemon_vm.web[0]?");
      expect(flat).toContain("Consent (2 of 2) to destroy of daemon_vm.web[1]?");
      expect(flat).toContain("Do this, with all of that?");
      expect(flat).toContain("Apply complete! Resources: 1 added, 0 changed, 2 destroyed.");
      expect(code).toBe(0);
    },
  );

  const noes: readonly (readonly [string, readonly string[]])[] = [
    ["the first", ["no\r"]],
    ["the second", ["yes\r", "no\r"]],
    ["the last", ["yes\r", "yes\r", "no\r"]],
  ];

  test.each(some(noes, 1))("no to %s of them changes nothing", async (_name, keys) => {
    writeState(2);
    const { code, screen } = await answer(keys, "id: web-0, tag: new");
    expect(screen).toContain("Nothing was changed.");
    expect(code).toBe(1);
    expect(mutations()).toBe(0);
  });

  const others = [
    ["y", "y\r", 1, "Nothing was changed."],
    ["YES", "YES\r", 1, "Nothing was changed."],
    ["an empty line", "\r", 1, "Nothing was changed."],
    ["the end of input", "\u0004", 1, "Nothing was changed."],
    ["Ctrl-C", "\u0003", 130, "Asked to stop before any operation was begun."],
  ] as const;

  test.each(some(others, 1))("%s changes nothing", async (_name, keys, wanted, words) => {
    const { code, screen } = await answer(keys);
    expect(screen).toContain(words);
    expect(code).toBe(wanted);
    expect(mutations()).toBe(0);
    // Neither a lock nor an empty state is left behind.
    expect(readdirSync(join(folder, "state"))).toEqual([]);
  });
});

function writeState(vms = 1): void {
  mkdirSync(join(folder, "state"));
  const text = recordedVms(vms, simulators.origins.daemon);
  writeFileSync(join(folder, "state", "default.json"), text);
}
