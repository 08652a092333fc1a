/**
 * Remote tasks that outlast a person's patience, in processes and real terminals: letting go of one,
 * having it cancelled, and a terminal that is as it was before.
 */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type RunningSimulators, startSimulators } from "../../src/simulators/start.ts";
import { endChildren, startChild } from "../e2e/child.ts";
import { onlyInLongRun } from "../helpers/amount.ts";
import { type Command, installCommand } from "./command.ts";
import { isTerminalThere } from "./run-case.ts";

const hasTerminal = isTerminalThere("no key is pressed");

const environment = { CLOUD_PASSWORD: "secret" };
let command: Command;
let folder: string;
let simulators: RunningSimulators;

beforeAll(() => {
  command = installCommand();
});
afterAll(() => command.remove());
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "vmform-task-"));
  // No task ends by itself while a test runs.
  const hours = 36_000_000;
  simulators = await startSimulators({
    world: {
      cloud: {
        durations_ms: { relocate: hours, reset: hours },
        datastores: { old: {}, fast: {} },
        vapps: { shop: { vms: { web: { power: "on" } } } },
      },
    },
  });
  write("");
  const { code, stderr } = await start("apply", "--auto-approve").ended;
  if (code !== 0) throw new Error(stderr);
  write("datastore: fast");
});
afterEach(async () => {
  await endChildren();
  await simulators.stop();
  rmSync(folder, { recursive: true, force: true });
});

function write(more: string): void {
  const url = simulators.origins.cloud;
  const cloud = `{ url: "${url}", user: admin, org: System, password: { env: CLOUD_PASSWORD } }`;
  const text = `providers: { cloud: ${cloud} }\nresources: { cloud_vm.web: { name: web, ${more} } }\n`;
  writeFileSync(join(folder, "main.vmform.yaml"), text);
}

function start(...words: readonly string[]) {
  return startChild(command.main, words, { cwd: folder, environment });
}

/** Mutating requests, without what tells objects apart. */
function sent(): readonly string[] {
  const mutations = simulators.log().filter((entry) => entry.class === "mutate");
  return mutations.map(({ path }) => path.replace(/^.*\/action\//, ""));
}
const locked = (): boolean => existsSync(join(folder, "state", "default.json.lock"));
const approved = ["--auto-approve", "--allow", "power-cycle"] as const;

type Typed = { readonly code: number | null; readonly screen: string };

/** Runs a command in a terminal and types each answer when its cue has come; then shows the modes. */
function type(words: string, ...cues: readonly (readonly [string, string])[]): Promise<Typed> {
  const shell = `vmform ${words}; code=$?; stty -a | tr -d ';'; exit $code`;
  const child = spawn("script", ["-qefc", shell, "/dev/null"], {
    cwd: folder,
    env: {
      PATH: `${command.bin}:${process.env.PATH ?? ""}`,
      HOME: folder,
      TERM: "xterm",
      // Of the shells, bash alone goes on after a Ctrl-C that its child has dealt with.
      SHELL: "/bin/bash",
      ...environment,
    },
  });
  return typed(child, [...cues]);
}

function typed(
  child: ChildProcessWithoutNullStreams,
  cues: (readonly [string, string])[],
): Promise<Typed> {
  let screen = "";
  let read = 0;
  return new Promise((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      screen += text;
      for (let cue = cues[0]; cue !== undefined; cue = cues[0]) {
        const at = screen.indexOf(cue[0], read);
        if (at === -1) return;
        read = at + cue[0].length;
        cues.shift();
        child.stdin.write(cue[1]);
      }
    });
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, screen }));
  });
}

/** Takes the terminal of an apply away at a cue; the process of the apply. */
async function hangUp(last: string, ...cues: readonly (readonly [string, string])[]) {
  const child = spawn("script", ["-qefc", "exec vmform apply --auto-approve", "/dev/null"], {
    cwd: folder,
    env: { PATH: `${command.bin}:${process.env.PATH ?? ""}`, HOME: folder, ...environment },
  });
  const ended = typed(child, [...cues]);
  let seen = "";
  child.stdout.on("data", (text: string) => {
    seen += text;
    if (seen.includes(last)) child.kill("SIGKILL");
  });
  await ended;
  const lock: unknown = JSON.parse(
    readFileSync(join(folder, "state", "default.json.lock"), "utf8"),
  );
  return (lock as { readonly pid: number }).pid;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const modes = [/\sisig\s/, /\sicanon\s/, /\secho\s/, /\sicrnl\s/];
const ctrlC = "\u0003";

describe.skipIf(!hasTerminal)("in a terminal", () => {
  test("Ctrl-C, c and y cancel the task; the apply ends with it", async () => {
    const { code, screen } = await type(
      "apply --auto-approve",
      ["Remote task is running", ctrlC],
      ["Press c to cancel the remote task.", "xc"],
      ["Press y to cancel, any other key to wait.", "n"],
      ["Nothing was cancelled.", "c"],
      ["Press y to cancel, any other key to wait.", "y"],
    );
    expect(screen).toContain("The remote task was asked to cancel");
    expect(screen).toContain("was canceled");
    expect(screen).toContain("Apply was interrupted.");
    expect(code).toBe(130);
    expect(sent()).toEqual(["relocate", "cancel"]);
    expect(locked()).toBe(false);
    for (const mode of modes) expect(screen).toMatch(mode);
  });

  test(
    "Ctrl-C twice leaves it running, also while the question stands",
    onlyInLongRun,
    async () => {
      const { code, screen } = await type(
        "apply --auto-approve",
        ["Remote task is running", ctrlC],
        ["Press c to cancel the remote task.", "c"],
        ["Press y to cancel, any other key to wait.", ctrlC],
      );
      expect(code).toBe(130);
      expect(sent()).toEqual(["relocate"]);
      for (const mode of modes) expect(screen).toMatch(mode);
    },
  );

  test(
    "a terminal that goes away drains; while it drains already, it ends the run",
    onlyInLongRun,
    async () => {
      const pid = await hangUp("Remote task is running");
      expect(isAlive(pid)).toBe(true);
      const cancel = await start("action", "cloud_vm.web", "cancel-task", "--auto-approve").ended;
      expect(cancel.stdout).toContain("was canceled");
      await until(() => !locked() && !isAlive(pid));
      expect(sent()).toEqual(["relocate", "cancel"]);
      const second = await hangUp("Press c to cancel", ["Remote task is running", ctrlC]);
      await until(() => !isAlive(second));
      expect(sent()).toEqual(["relocate", "cancel", "relocate"]);
    },
  );

  test(
    "the countdown of a ticket is ended by Ctrl-C, which is no error",
    onlyInLongRun,
    async () => {
      const { code, screen } = await type("ticket cloud_vm.web", ["Valid for ", ctrlC]);
      expect(code).toBe(0);
      expect(screen).toMatch(/\rValid for \d+s\. Ctrl-C ends this\./);
      expect(screen).not.toContain("expired");
    },
  );

  test("an action asks, and yes consents to what it disrupts", onlyInLongRun, async () => {
    const { code, screen } = await type(
      "action cloud_vm.web reset",
      ["Do this, with the disruptions named above? Only yes is taken as consent: ", "yes\r"],
      ["Remote task is running", ctrlC],
    );
    expect(screen).toContain("goes on at the server.");
    expect(code).toBe(130);
    expect(sent()).toEqual(["reset"]);
    const declined = await type("action cloud_vm.web reset", ["as consent: ", "y\r"]);
    expect(declined.screen).toContain("Nothing was done.");
    expect(declined.code).toBe(1);
    expect(sent()).toEqual(["reset"]);
  });
});

test(
  "SIGTERM offers nothing and names the command, which works beside the run",
  onlyInLongRun,
  async () => {
    const apply = start("apply", "--auto-approve");
    await apply.printed("Remote task is running");
    apply.kill("SIGTERM");
    await apply.printed("vmform action cloud_vm.web cancel-task");
    expect(apply.stdout()).not.toContain("Press c");
    expect(locked()).toBe(true);
    const cancel = await start("action", "cloud_vm.web", "cancel-task", "--auto-approve").ended;
    expect(cancel).toMatchObject({ code: 0, stderr: "" });
    expect((await apply.ended).code).toBe(130);
    expect(sent()).toEqual(["relocate", "cancel"]);
  },
);

test("an action that is let go of: its task goes on, the lock is free", onlyInLongRun, async () => {
  const action = start("action", "cloud_vm.web", "reset", ...approved);
  await action.printed("Remote task is running");
  expect(locked()).toBe(true);
  const apply = await start("apply", "--auto-approve").ended;
  expect(apply.stderr).toContain("is locked by");
  action.kill("SIGINT");
  const { code, stdout, stderr } = await action.ended;
  expect(code).toBe(130);
  expect(stdout).toContain("Its remote task (running, 0 %) goes on at the server.");
  expect(stdout).toContain("To end it: vmform action cloud_vm.web cancel-task");
  expect(stderr).toBe("");
  expect(locked()).toBe(false);
  expect(sent()).toEqual(["reset"]);
});

async function until(isSo: () => boolean): Promise<void> {
  const deadlineMs = Date.now() + 60_000;
  while (!isSo()) {
    if (Date.now() > deadlineMs) throw new Error("it does not happen");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
