/**
 * Provider packages in the world of a test: each speaks to the other side that it simulates itself.
 * One that simulates none is not opened, since nothing would keep it from its endpoint.
 */

import { CommandError } from "../../commands/environment.ts";
import type { SecretMask } from "../../lib/mask.ts";
import { RemoteError, retold } from "../../model/operation/remote-error.ts";
import type { LoadedPackage, LoadedWorld } from "../../model/provider/package.ts";
import type { ProviderSession } from "../../model/provider/provider.ts";
import type { ValueMap } from "../../model/value/value.ts";
import type { TestClock } from "./clock.ts";
import {
  createPackageFaults,
  faultError,
  type PackageFaults,
  readMethod,
} from "./package-faults.ts";

export type TestPackages = {
  /** To be opened in place of what was loaded. */
  readonly loaded: readonly LoadedPackage[];
  readonly present: () => ValueMap;
  readonly change: (changes: ValueMap) => Promise<void>;
  /** What goes wrong from now on, by provider. Throws `CommandError` for what cannot. */
  readonly setFaults: (faults: ValueMap | undefined) => void;
  readonly faults: PackageFaults["uses"];
  /** What was sent, in the form in which simulators log requests. */
  readonly sent: () => readonly ValueMap[];
  /** Calls that have not ended. */
  readonly running: () => number;
};

type Sent = { -readonly [name in keyof ValueMap]: ValueMap[name] };

/** Throws `PackageFailure` for what a package does wrong, `CommandError` for a world of none. */
export async function openTestPackages(
  loaded: readonly LoadedPackage[],
  starts: ValueMap,
  { clock, mask }: { readonly clock: () => TestClock; readonly mask: SecretMask },
): Promise<TestPackages> {
  let running = 0;
  const log: Sent[] = [];
  const faults = createPackageFaults();
  const worlds = new Map<string, LoadedWorld>();
  requireSimulated(loaded, starts);
  const during = async <T>(work: () => Promise<T>): Promise<T> => {
    running += 1;
    try {
      return await work();
    } finally {
      running -= 1;
    }
  };
  // What waits within a call is waited for as a request is that a simulator does not answer yet.
  const waiting = {
    now: () => clock().now(),
    sleep: (ms: number) => clock().until(clock().now() + ms, new AbortController().signal),
  };
  for (const { name, simulate } of loaded) {
    const world = await simulate?.(starts[name] ?? {}, { clock: waiting, mask });
    if (world !== undefined) worlds.set(name, world);
  }
  const open =
    (item: LoadedPackage): LoadedPackage["open"] =>
    async (settings, ports) => {
      const world = worlds.get(item.name);
      if (world === undefined) throw notSimulated(item);
      const session = await world.open(settings, { ...ports, clock: waiting });
      return watched(item, session, { during, log, faults, ...waiting });
    };
  return {
    loaded: loaded.map((item) => ({ ...item, open: open(item) })),
    present: () => Object.fromEntries([...worlds].map(([name, world]) => [name, world.present()])),
    change: async (changes) => {
      requireSimulated(loaded, changes);
      for (const [name, change] of Object.entries(changes)) await worlds.get(name)?.change(change);
    },
    setFaults: (given) => {
      requireSimulated(loaded, given ?? {});
      faults.set(given);
    },
    faults: faults.uses,
    sent: () => log.map((entry) => ({ ...entry })),
    running: () => running,
  };
}

function notSimulated({ label }: LoadedPackage): RemoteError {
  const message = `a test speaks to simulated worlds alone, and ${label} has none`;
  return new RemoteError({ kind: "invalid", effect: "none", message });
}

function requireSimulated(loaded: readonly LoadedPackage[], named: ValueMap): void {
  for (const name of Object.keys(named)) {
    const item = loaded.find((one) => one.name === name);
    if (item === undefined) {
      throw new CommandError(`No provider package of the configuration is called ${name}.`);
    }
    if (item.simulate === undefined) {
      throw new CommandError(`${item.label} simulates no world, so none can be given or changed.`);
    }
  }
}

type Watch = {
  readonly during: <T>(work: () => Promise<T>) => Promise<T>;
  readonly log: Sent[];
  readonly faults: PackageFaults;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
};

/** What looks at the other side, and changes nothing there. */
const readingMembers: ReadonlySet<string | symbol> = new Set(["read", "list", "readData"]);

/**
 * Time does not jump while a call of it runs, what it sends can be named by conditions, and what a
 * test says goes wrong.
 */
function watched(item: LoadedPackage, session: ProviderSession, watch: Watch): ProviderSession {
  const { during, faults, sleep } = watch;
  const { name } = item;
  const called = new Proxy(session, {
    get: (target, member) => {
      const value: unknown = Reflect.get(target, member);
      if (typeof value !== "function") return value;
      const call = (...words: unknown[]): unknown => {
        const given: unknown = Reflect.apply(value, target, words);
        return given instanceof Promise ? during(() => given) : given;
      };
      if (!readingMembers.has(member)) return call;
      return async (...words: unknown[]): Promise<unknown> => {
        const fault = faults.take(name, readMethod, "/");
        if (fault === undefined) return call(...words);
        if (fault.delayMs > 0) await during(() => sleep(fault.delayMs));
        const error = faultError(fault);
        if (error !== undefined) throw retold(error, error.message, { effect: "none" });
        return call(...words);
      };
    },
  });
  const send = sending(item, called, watch);
  return new Proxy(called, {
    get: (target, member) => (member === "send" ? send : Reflect.get(target, member)),
  });
}

/** Sends with a note of it, and with what goes wrong. */
function sending(
  { name, types }: LoadedPackage,
  session: ProviderSession,
  { during, log, faults, now, sleep }: Watch,
): ProviderSession["send"] {
  return async (operation, deadlineMs) => {
    const { subject, verb, request } = operation;
    const type = types.find((one) => one.name === subject.type);
    const wire = type?.request(verb, subject.identity ?? "", request.inputs);
    const { method = verb, path = "" } = wire ?? {};
    const fault = faults.take(name, method, path);
    const entry: Sent = {
      ...{ n: log.length + 1, at: now(), interface: name, class: "mutate" },
      ...{ method, path, status: null, fault: fault?.name ?? null },
      ...{ ended: false, effect: false, refused: false, body: JSON.stringify(wire?.body ?? null) },
    };
    log.push(entry);
    try {
      if (fault !== undefined && fault.delayMs > 0) await during(() => sleep(fault.delayMs));
      const error = fault && faultError(fault);
      if (error !== undefined && fault?.lose !== "reply") throw error;
      const result = await session.send(operation, deadlineMs);
      if (error !== undefined) {
        entry["effect"] = true;
        throw error;
      }
      Object.assign(entry, { status: 200, effect: true });
      return result;
    } catch (error) {
      const isRefused = error instanceof RemoteError && error.effect === "none";
      const isLost = fault?.lose !== undefined;
      Object.assign(entry, { refused: !isLost, ...(isLost ? {} : { effect: !isRefused }) });
      throw error;
    } finally {
      entry["ended"] = true;
    }
  };
}
