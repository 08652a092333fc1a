/** What a command is given by what it says it needs, and that all of it is closed, the lock last. */

import { describe, expect, test } from "vitest";
import { DiagnosticError, InterruptedError } from "../../../src/commands/environment.ts";
import { importCommand } from "../../../src/commands/import/import.ts";
import { importAllCommand } from "../../../src/commands/import/import-all.ts";
import { plannedFor, settingsAlone, soundConfiguration } from "../../../src/commands/reading.ts";
import { withLockedWorkspace, withWorkspace } from "../../../src/commands/workspace.ts";
import { fakeEnvironment, recordedVm, settings, stateOf } from "./fake-environment.ts";

const web = stateOf([recordedVm("cloud_vm.web")]);
const options = { directory: ".", variables: [], variableFiles: [] };
const lock = { operation: "work", timeoutMs: 0 };
const opened = (access: string) => `open cloud ${JSON.stringify(settings)} ${access}`;

describe("every way out closes what was opened, the lock last", () => {
  test.each<[string, (interrupt: () => void) => Promise<string>, object]>([
    ["done", () => Promise.resolve("done"), { value: "done" }],
    ["an error", () => Promise.reject(new Error("broken")), { message: "broken" }],
    [
      "asked to stop",
      (interrupt) => {
        interrupt();
        return new Promise(() => {});
      },
      { name: "Error", constructor: InterruptedError },
    ],
  ])("%s", async (_name, work, ended) => {
    const { environment, trace, interrupt } = fakeEnvironment({ state: web });
    const needs = { read: settingsAlone, access: "mutate", lock } as const;
    const run = withLockedWorkspace(environment, options, needs, async ({ connect, fence }) => {
      expect(fence).toEqual({ lockId: "lock" });
      const { sessions } = await connect();
      await sessions.get("cloud", settings);
      return environment.interrupts.untilInterrupted(() => work(() => interrupt()));
    });
    const result: unknown = await run.then(
      (value) => ({ value }),
      (error: unknown) => error,
    );
    expect(result).toMatchObject(ended);
    expect(trace).toEqual(["lock work", opened("mutate"), "close", "unlock"]);
  });
});

describe("recorded state of another world", () => {
  const state = { ...web, simulated: true };
  test.each<["none" | "read" | "mutate", object]>([
    ["none", { state: { simulated: true }, fresh: false }],
    ["read", { diagnostics: [{ code: "RUN003" }] }],
    ["mutate", { diagnostics: [{ code: "RUN003" }] }],
  ])("for a command with access %s", async (access, expected) => {
    const { environment, trace } = fakeEnvironment({ state });
    const needs = { read: settingsAlone, access };
    const run = withWorkspace(environment, options, needs, ({ recorded }) => recorded());
    expect(await run.catch((error: unknown) => error)).toMatchObject(expected);
    expect(trace).toEqual([]);
  });

  test.each([
    ["import", ["lock import", "unlock"]],
    ["import --all", []],
  ])("%s asks nobody", async (name, expected) => {
    const files = {
      "main.vmform.yaml":
        'providers: { cloud: { url: "https://cloud.test", user: ops, password: { file: ./key } } }\n' +
        "resources: { cloud_vm.db: { name: db, vapp_name: lab } }",
    };
    const { environment, trace } = fakeEnvironment({ state, files });
    const run =
      name === "import"
        ? importCommand(environment, {
            ...options,
            address: "cloud_vm.db",
            id: "vm-2",
            lockTimeoutMs: 0,
          })
        : importAllCommand(environment, {
            ...options,
            types: ["cloud_vm"],
            out: undefined,
            group: true,
          });
    await expect(run).rejects.toMatchObject({ diagnostics: [{ code: "RUN003" }] });
    expect(trace).toEqual(expected);
  });
});

test.each([
  ["settings", settingsAlone, "vmform: { stat: {} }", "resources: { cloud_vm.web: { nme: 1 } }"],
  ["everything", soundConfiguration, "resources: { cloud_vm.web: { nme: 1 } }", "resources: {}"],
  ["a plan", plannedFor("apply"), "resources: { cloud_vm.web: { nme: 1 } }", "resources: {}"],
] as const)("of the configuration, %s must be sound", async (_name, read, broken, sound) => {
  const needs = { read, access: "none" } as const;
  const run = (text: string) =>
    withWorkspace(
      fakeEnvironment({ state: web, files: { "main.vmform.yaml": text } }).environment,
      options,
      needs,
      () => Promise.resolve("done"),
    );
  await expect(run(broken)).rejects.toThrow(DiagnosticError);
  expect(await run(sound)).toBe("done");
});
