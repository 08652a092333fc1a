/**
 * The environment of a command without a file, an endpoint or a clock of the host: recorded state
 * and configuration in memory, a provider session that a test scripts, time that jumps.
 */

import { createInterrupts } from "../../../src/cli/terminal/interrupts.ts";
import type { StopSignal } from "../../../src/cli/terminal/terminal.ts";
import type { CommandEnvironment } from "../../../src/commands/environment.ts";
import type { LockInfo } from "../../../src/lib/lock/lock-info.ts";
import type { ProviderSession } from "../../../src/model/provider/provider.ts";
import type { RecordedObject, RecordedState } from "../../../src/model/recorded/recorded.ts";
import { StoreError } from "../../../src/model/recorded/store.ts";
import { nowhere } from "../../../src/model/said/problem.ts";
import {
  dataRegistry,
  providerCodes,
  settingsSchemas,
  typeRegistry,
} from "../../../src/providers/registry.ts";
import { problem } from "../../../src/state/codes.ts";
import { recordedObject, recordedState } from "../../helpers/recorded-builder.ts";
import { plainSeal } from "../../helpers/seals.ts";
import { createVirtualClock, type VirtualClock } from "../../simulation/virtual-clock.ts";

export const vmPath = "/api/vApp/vm-1";
export const settings = { url: "https://cloud.test", user: "admin", password: { env: "PASSWORD" } };

export function recordedVm(text: string, parts: Partial<RecordedObject> = {}): RecordedObject {
  return recordedObject(text, {
    type: "cloud_vm",
    provider: "cloud",
    identity: vmPath,
    applied: { power: "on" },
    attributes: { name: "web", power_state: "on" },
    ...parts,
  });
}

export function stateOf(
  objects: readonly RecordedObject[],
  parts: Partial<RecordedState> = {},
): RecordedState {
  return recordedState(objects, { providers: [{ name: "cloud", settings }], ...parts });
}

export type Fake = {
  readonly environment: CommandEnvironment;
  readonly clock: VirtualClock;
  /** What happened, in order: `lock action reset`, `open read`, `unlock`, `close`, … */
  readonly trace: string[];
  readonly hidden: string[];
  /** A person, or the system, asks to stop. */
  readonly interrupt: (signal?: StopSignal) => void;
};

export type FakeOptions = {
  readonly state: RecordedState;
  /** Without `read` and `send`, which no such command uses. */
  readonly session?: Partial<ProviderSession>;
  readonly files?: { readonly [name: string]: string };
  readonly system?: Partial<CommandEnvironment["system"]>;
  /** Who holds the lock, where a command asks. */
  readonly holder?: LockInfo | undefined;
  /** Another run holds the lock. */
  readonly locked?: boolean;
};

/** What the options leave out is not to be used, and throws. */
export function fakeEnvironment(options: FakeOptions): Fake {
  const clock = createVirtualClock();
  const trace: string[] = [];
  const hidden: string[] = [];
  const files = options.files ?? { "main.vmform.yaml": "" };
  let interrupt: (signal: StopSignal) => void = () => {};
  const interrupts = createInterrupts(
    {
      onInterrupt: (listener) => {
        interrupt = listener;
      },
      exit: (code) => void trace.push(`exit ${code}`),
    },
    () => {},
  );
  const environment: CommandEnvironment = {
    version: "0.1.0",
    fileReader: () => () => ({ kind: "absent" }),
    folderReader: () => () => ({ ok: false, detail: "There are no modules." }),
    packageLoader: () => ({
      load: () => Promise.resolve({ ok: false, detail: "There are none.", fix: "Name none." }),
      isMissing: () => Promise.resolve(false),
    }),
    moduleInstaller: async () => ({
      fetch: () => Promise.resolve({ ok: false, detail: "There are no modules." }),
      prune: () => Promise.resolve(),
    }),
    types: typeRegistry(),
    dataTypes: dataRegistry(),
    providerSettings: settingsSchemas(),
    providerCodes,
    clock,
    newId: () => "id",
    operator: { who: "ann", host: "host-a" },
    variables: {},
    listFolder: () => Promise.resolve(Object.keys(files)),
    readFile: (path) => Promise.resolve(new TextEncoder().encode(files[path])),
    writeFile: unused,
    createFile: unused,
    makeFolder: unused,
    examples: { names: unused, files: unused },
    lookAtFile: unused,
    rewriteFile: unused,
    appendToFile: unused,
    storeDefinitions: () => Promise.resolve(undefined),
    openStore: () => fakeStore(options, trace),
    openSeal: (_settings, location) => Promise.resolve(plainSeal(location)),
    openMirrors: unused,
    openWorkspaces: unused,
    selectWorkspace: unused,
    loadFleet: () => Promise.reject(new Error("no workers")),
    openTwin: () => Promise.reject(new Error("no twin")),
    openTestWorld: () => Promise.reject(new Error("no world")),
    openProviders: () =>
      Promise.resolve({
        open: (provider, given, access) => {
          trace.push(`open ${provider} ${JSON.stringify(given)} ${access}`);
          return Promise.resolve(fakeSession(options.session ?? {}, trace));
        },
        allowCommands: () => {},
        requestsSent: () => 0,
        close: () => Promise.resolve(),
      }),
    hideSecret: (secret) => void hidden.push(secret),
    system: {
      nodeVersion: "v20.19.0",
      home: "/homes/somebody",
      folderProblem: () => Promise.resolve(undefined),
      proxyOf: () => undefined,
      ...options.system,
    },
    events: () => {},
    remark: (diagnostics) => void trace.push(...diagnostics.map(({ code }) => `remark ${code}`)),
    interrupts,
  };
  return { environment, clock, trace, hidden, interrupt: (signal = "SIGINT") => interrupt(signal) };
}

function fakeSession(methods: Partial<ProviderSession>, trace: string[]): ProviderSession {
  return {
    read: unused,
    send: unused,
    ...methods,
    close: () => {
      trace.push("close");
      return Promise.resolve();
    },
  };
}

/** Writing is not to happen. */
function fakeStore(
  options: FakeOptions,
  trace: string[],
): ReturnType<CommandEnvironment["openStore"]> {
  const { state, locked } = options;
  return {
    location: "memory",
    read: () => Promise.resolve({ snapshot: state, journal: [] }),
    append: unused,
    compact: unused,
    runs: () => Promise.resolve([]),
    runHeads: () => Promise.resolve([]),
    saveRuns: () => Promise.resolve(),
    lock: (operation) => {
      if (locked === true)
        return Promise.reject(
          new StoreError(problem(nowhere, "STO009", { detail: "locked", fix: "wait" })),
        );
      trace.push(`lock ${operation}`);
      return Promise.resolve({ lockId: "lock" });
    },
    unlock: () => {
      trace.push("unlock");
      return Promise.resolve();
    },
    holder: "holder" in options ? () => Promise.resolve(options.holder) : unused,
    forceUnlock: unused,
    close: () => Promise.resolve(),
    writeEmergencyCopy: unused,
  };
}

function unused(): Promise<never> {
  return Promise.reject(new Error("no such command does this"));
}
