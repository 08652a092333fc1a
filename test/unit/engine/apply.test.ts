/** Applying: what is journaled and recorded, in which order, and how much work it is. */

import { describe, expect, test } from "vitest";
import { type Applied, apply } from "../../../src/engine/apply.ts";
import { prepare } from "../../../src/engine/prepare.ts";
import { RemoteError } from "../../../src/model/operation/remote-error.ts";
import type { Desired, DesiredInstance, DesiredOutput } from "../../../src/model/plan/desired.ts";
import type { Plan } from "../../../src/model/plan/plan.ts";
import { planHasChanges } from "../../../src/model/plan/plan-counts.ts";
import type { ProviderSession, ResourceType } from "../../../src/model/provider/provider.ts";
import type { JournalEntry } from "../../../src/model/recorded/journal.ts";
import type { Attributes } from "../../../src/model/value/value.ts";
import { noopProvider, noopType } from "../../../src/providers/noop/provider.ts";
import { amount, onlyInLongRun } from "../../helpers/amount.ts";
import { readNoFile } from "../../helpers/http-ports.ts";
import { at } from "../state/samples.ts";
import { desiredOf, instance } from "./desired-builder.ts";
import {
  type EngineWorld,
  engineWorld,
  ledgerOf,
  onAppend,
  recordedIn,
  sessionsOf,
  startMs,
  unavailable,
} from "./engine-world.ts";

const types = { [noopType.name]: noopType };

/** A world of no-ops. Endpoints named as broken cannot be reached. */
function noopWorld(
  broken: readonly string[] = [],
  wrap: (session: ProviderSession) => ProviderSession = (session) => session,
  known: { readonly [type: string]: ResourceType } = types,
): EngineWorld {
  const world: EngineWorld = engineWorld(async (provider) => {
    if (broken.includes(provider)) throw unavailable;
    const http = () => {
      throw new Error("a no-op speaks to nobody");
    };
    const ports = { http, clock: world.clock, readTextFile: readNoFile };
    return wrap(await noopProvider.create(ports).open({}));
  }, known);
  return world;
}

function noop(
  name: string,
  attributes: Attributes = {},
  parts: Partial<DesiredInstance> = {},
): DesiredInstance {
  return instance(`noop_resource.${name}`, { name, ...attributes }, parts);
}

function after(...names: readonly string[]): Partial<DesiredInstance> {
  const dependencies = names.map((name) => at(`noop_resource.${name}`));
  return { dependencies, explicitDependencies: dependencies };
}

async function run(
  world: EngineWorld,
  desired: Desired,
  parallelism = 10,
): Promise<{ readonly plan: Plan; readonly applied: Applied }> {
  const work = async () => {
    const sessions = sessionsOf(world);
    const ledger = ledgerOf(world);
    const options = { mode: "apply", allowed: [], simulated: false } as const;
    const plan = await prepare(world.ports, sessions, ledger, desired, options);
    const applied = await apply(world.ports, sessions, ledger, plan, {
      parallelism,
      poolLimits: {},
    });
    return { plan, applied };
  };
  return world.clock.until(work());
}

/** Every entry that was ever written, compaction or not, as `kind name`. */
function recording(world: EngineWorld): readonly string[] {
  const lines: string[] = [];
  onAppend(world, (entries) => lines.push(...entries.map(lineOf)));
  return lines;
}

function lineOf(entry: JournalEntry): string {
  switch (entry.kind) {
    case "run":
      return "run";
    case "note":
      return `note ${entry.note.what}`;
    case "observed":
      return `observed ${entry.address}`;
    case "begin":
    case "handle":
    case "end":
    case "closed":
      return `${entry.kind} ${entry.id.replace(/^noop_resource\.(\w+)#(\w+)\..*$/, "$1 $2")}`;
  }
}

test("applying records what was sent, and the next plan is empty", async () => {
  const world = noopWorld();
  const desired = desiredOf([noop("a", { value: "1" }), noop("b", {}, after("a"))]);
  const { applied } = await run(world, desired);
  expect([applied.succeeded, applied.interrupted]).toEqual([true, false]);
  const { objects, open } = recordedIn(world);
  expect(objects.map(({ applied: sent }) => sent)).toMatchObject([
    { name: "a", value: "1" },
    { name: "b" },
  ]);
  expect(objects[1]?.dependencies).toEqual(["noop_resource.a"]);
  expect(open).toEqual([]);
  const again = await run(world, desired);
  expect(planHasChanges(again.plan)).toBe(false);
});

test("a run bumps the serial, also with nothing to do", async () => {
  const world = noopWorld();
  const desired = desiredOf([noop("a")]);
  const serials: number[] = [];
  for (let count = 0; count < 3; count += 1) {
    await run(world, desired);
    serials.push(recordedIn(world).serial);
  }
  expect(serials).toEqual([1, 2, 3]);
});

test("a begin is durable before its request, an end before what waits for it begins", async () => {
  const lines: string[] = [];
  const world = noopWorld([], (session) => ({
    ...session,
    send: (operation, deadlineMs) => {
      lines.push(`send ${operation.subject.identity} ${operation.verb}`);
      return session.send(operation, deadlineMs);
    },
  }));
  onAppend(world, (entries) => lines.push(...entries.map(lineOf)));
  await run(world, desiredOf([noop("a"), noop("b", {}, after("a"))]));
  expect(lines).toEqual([
    "run",
    ...["begin a create", "send a create", "end a create"],
    ...["begin b create", "send b create", "end b create"],
  ]);
});

test("remote tasks: a handle is journaled, and a polled task takes no slot", async () => {
  const world = noopWorld();
  const lines = recording(world);
  const names = ["a", "b", "c"];
  await run(world, desiredOf(names.map((name) => noop(name, { task_duration: "10s" }))), 1);
  expect(lines.filter((line) => line.startsWith("handle"))).toEqual(
    names.map((name) => `handle ${name} create`),
  );
  // One after the other they would take thirty seconds.
  expect(world.clock.now() - startMs).toBeLessThan(20_000);
  for (const name of names) {
    const own = lines.filter((line) => line.includes(` ${name} `));
    expect(own).toEqual([`begin ${name} create`, `handle ${name} create`, `end ${name} create`]);
  }
});

test("a task that was interrupted is followed by the next run, and not begun again", async () => {
  const world = noopWorld();
  const desired = desiredOf([noop("a", { task_duration: "10s" })]);
  const sessions = sessionsOf(world);
  const ledger = ledgerOf(world);
  const options = { mode: "apply", allowed: [], simulated: false } as const;
  const started = prepare(world.ports, sessions, ledger, desired, options).then((plan) =>
    apply(world.ports, sessions, ledger, plan, { parallelism: 1, poolLimits: {} }),
  );
  // The run is abandoned in the middle of the task: its process died.
  started.catch(() => {});
  await world.clock.advance(3_000);
  const disk = { ...world.disk, journal: [...world.disk.journal] };
  const next = noopWorld();
  Object.assign(next.disk, disk);
  const lines = recording(next);
  await next.clock.advance(3_000);
  const { applied, plan } = await run(next, desired);
  expect([applied.succeeded, plan.interrupted]).toEqual([true, ["noop_resource.a#create.1"]]);
  expect(planHasChanges(plan)).toBe(false);
  expect(lines).toEqual(["closed a create", "run"]);
  expect(recordedIn(next).objects.map(({ status }) => status)).toEqual(["ready"]);
});

test("an endpoint that cannot be reached fails its operations and what needs them, no other", async () => {
  const world = noopWorld(["noop.east"]);
  const desired = desiredOf([
    noop("a"),
    noop("far", {}, { provider: "noop.east" }),
    noop("needs", {}, after("far")),
    noop("b", {}, after("a")),
  ]);
  const plan = await planWhileReachable(world, desired);
  const sessions = sessionsOf(world);
  const applying = apply(world.ports, sessions, ledgerOf(world), plan, {
    parallelism: 10,
    poolLimits: {},
  });
  const applied = await world.clock.until(applying);
  expect(
    applied.results.map(({ operation, status }) => `${operation.subject.identity} ${status}`),
  ).toEqual(["a success", "far failed", "needs skipped", "b success"]);
  expect([applied.failed, applied.skipped]).toEqual([
    ["noop_resource.far"],
    ["noop_resource.needs"],
  ]);
  expect(applied.results[1]?.message).toBe("connection refused");
  const recorded = recordedIn(world);
  expect(recorded.objects.map(({ identity }) => identity)).toEqual(["a", "b"]);
  // Nothing was begun where nothing could be sent.
  expect(recorded.open).toEqual([]);
});

/** The plan is made by a world like this one, in which every endpoint answers. */
async function planWhileReachable(world: EngineWorld, desired: Desired): Promise<Plan> {
  const reachable = noopWorld();
  const options = { mode: "apply", allowed: [], simulated: false } as const;
  const planning = prepare(
    reachable.ports,
    sessionsOf(reachable),
    ledgerOf(world, "dry"),
    desired,
    options,
  );
  return reachable.clock.until(planning);
}

describe("errors of a request", () => {
  const answers: readonly [string, RemoteError | undefined, string, number][] = [
    ["none", undefined, "success", 1],
    ["refused", new RemoteError({ kind: "invalid", effect: "none", message: "no" }), "failed", 1],
    [
      "refused as forbidden",
      new RemoteError({ kind: "forbidden", effect: "none", message: "no" }),
      "failed",
      1,
    ],
    [
      "throttled for ever",
      new RemoteError({ kind: "throttled", effect: "none", message: "no" }),
      "failed",
      5,
    ],
    ["unavailable for ever", unavailable, "failed", 5],
    [
      "lost on the way, where no read tells and twice does no harm",
      new RemoteError({ kind: "timeout", effect: "unknown", message: "lost" }),
      "failed",
      4,
    ],
  ];
  test.each(answers)(
    "%s: sent again only where it proves no effect, or may have it twice",
    async (_, error, status, sent) => {
      let count = 0;
      const world = noopWorld([], (session) => ({
        ...session,
        send: (operation, deadlineMs) => {
          count += 1;
          return error === undefined ? session.send(operation, deadlineMs) : Promise.reject(error);
        },
      }));
      const { applied } = await run(world, desiredOf([noop("a")]));
      expect([applied.results.map((result) => result.status), count]).toEqual([[status], sent]);
      expect(recordedIn(world).open).toEqual([]);
    },
  );

  const busyError = new RemoteError({ kind: "busy", effect: "none", message: "busy" });
  const lateError = new RemoteError({ kind: "timeout", effect: "none", message: "not sent" });
  test("busy is asked again until the time limit", async () => {
    let count = 0;
    const world = noopWorld([], (session) => ({
      ...session,
      send: (operation, deadlineMs) => {
        count += 1;
        return count < 20 ? Promise.reject(busyError) : session.send(operation, deadlineMs);
      },
    }));
    const { applied } = await run(world, desiredOf([noop("a")]));
    expect([applied.succeeded, count]).toEqual([true, 20]);
  });

  test("what it waits for is told once a minute, however far that has come", async () => {
    let percent = 0;
    const world = noopWorld([], (session) => ({
      ...session,
      send: () => {
        percent += 1;
        const message = `busy: alice's work, ${percent} %`;
        return Promise.reject(new RemoteError({ kind: "busy", effect: "none", message }));
      },
    }));
    await run(world, desiredOf([noop("a")]));
    const waiting = world.events.filter(({ kind }) => kind === "operation-waiting").length;
    expect(percent).toBeGreaterThan(waiting * 2);
    expect(waiting).toBeGreaterThan(0);
  });

  test.each([
    ["for ever", () => busyError],
    // The last try comes too late to be sent.
    ["until a try that is too late", (count: number) => (count < 20 ? busyError : lateError)],
  ])("busy %s is given up with the reason", async (_name, errorOf) => {
    let count = 0;
    const world = noopWorld([], (session) => ({
      ...session,
      send: () => Promise.reject(errorOf((count += 1))),
    }));
    const { applied } = await run(world, desiredOf([noop("a")]));
    expect(applied.results).toMatchObject([{ status: "failed" }]);
    const told = world.events.flatMap((event) => ("message" in event ? event.message : []));
    expect(told.at(-1)).toMatch(/^busy; given up at the limit of \d+ s$/);
  });

  test("the pause that a server asks for is kept", async () => {
    const times: number[] = [];
    const throttled = new RemoteError({
      kind: "throttled",
      effect: "none",
      message: "later",
      retryAfterMs: 7_000,
    });
    const world = noopWorld([], (session) => ({
      ...session,
      send: (operation, deadlineMs) => {
        times.push(world.clock.now() - startMs);
        return times.length === 1 ? Promise.reject(throttled) : session.send(operation, deadlineMs);
      },
    }));
    await run(world, desiredOf([noop("a")]));
    expect(times).toEqual([0, 7_000]);
  });
});

describe("the end of a run", () => {
  const output = (name: string, value: string): DesiredOutput => ({
    name,
    sensitive: false,
    references: [],
    resolve: () => ({ value, diagnostics: [] }),
  });
  const refusing =
    (identity: string) =>
    (session: ProviderSession): ProviderSession => ({
      ...session,
      send: (operation, deadlineMs) =>
        operation.subject.identity === identity
          ? Promise.reject(new RemoteError({ kind: "invalid", effect: "none", message: "no" }))
          : session.send(operation, deadlineMs),
    });

  test("outputs are recorded sorted, and those that left are gone", async () => {
    const world = noopWorld();
    const a = [noop("a")];
    await run(world, desiredOf(a, { outputs: [output("z", "1"), output("b", "2")] }));
    expect(recordedIn(world).outputs.map(({ name, value }) => [name, value])).toEqual([
      ["b", "2"],
      ["z", "1"],
    ]);
    await run(world, desiredOf(a, { outputs: [output("z", "3")] }));
    expect(recordedIn(world).outputs.map(({ name, value }) => [name, value])).toEqual([["z", "3"]]);
  });

  test("outputs wait for a run in which nothing failed", async () => {
    const world = noopWorld([], refusing("a"));
    const desired = desiredOf([noop("a")], { outputs: [output("z", "1")] });
    const { applied } = await run(world, desired);
    expect([applied.succeeded, recordedIn(world).outputs]).toEqual([false, []]);
  });

  test("bookkeeping is recorded except for what failed", async () => {
    const world = noopWorld([], refusing("b"));
    // Both exist and get a new dependency; b also gets a value, which is refused.
    const plain = noopWorld();
    await run(plain, desiredOf([noop("base"), noop("a"), noop("b")]));
    Object.assign(world.disk, plain.disk);
    const more = [
      noop("base"),
      noop("a", {}, after("base")),
      noop("b", { value: "1" }, after("base")),
    ];
    await run(world, desiredOf(more));
    const dependencies = recordedIn(world).objects.map(({ identity, dependencies: all }) => [
      identity,
      all.length,
    ]);
    expect(dependencies).toEqual([
      ["a", 1],
      ["b", 0],
      ["base", 0],
    ]);
  });

  test("a drain ends what runs, skips the rest, and the next run does it", async () => {
    const world = noopWorld();
    const desired = desiredOf([noop("a", { task_duration: "10s" }), noop("b", {}, after("a"))]);
    const sessions = sessionsOf(world);
    const ledger = ledgerOf(world);
    const options = { mode: "apply", allowed: [], simulated: false } as const;
    const listeners: (() => void)[] = [];
    const working = prepare(world.ports, sessions, ledger, desired, options).then((plan) => {
      world.clock.at(startMs + 1_000, () => {
        for (const listener of listeners) listener();
      });
      const interrupts = { onDrain: (listener: () => void) => void listeners.push(listener) };
      return apply(world.ports, sessions, ledger, plan, {
        parallelism: 2,
        poolLimits: {},
        interrupts,
      });
    });
    const applied = await world.clock.until(working);
    expect([applied.interrupted, applied.succeeded]).toEqual([true, false]);
    expect(applied.results.map(({ status }) => status)).toEqual(["success", "skipped"]);
    expect(world.events.filter((event) => event.kind === "draining")).toEqual([
      { kind: "draining", running: 1, tasks: 1 },
    ]);
    const next = await run(world, desired);
    expect(next.applied.results.map(({ operation }) => operation.subject.identity)).toEqual(["b"]);
  });
});

describe("scale", () => {
  /** Calls of everything that is asked once for each object, and entries written. */
  async function workOf(count: number): Promise<number> {
    let calls = 0;
    const counted: ResourceType = {
      ...noopType,
      identityOf: (attributes) => {
        calls += 1;
        return noopType.identityOf(attributes);
      },
      lower: (request) => {
        calls += 1;
        return noopType.lower(request);
      },
      request: (verb, identity, inputs) => {
        calls += 1;
        return noopType.request(verb, identity, inputs);
      },
    };
    const world = noopWorld(
      [],
      (session) => ({
        ...session,
        read: (wanted) => {
          calls += wanted.length;
          return session.read(wanted);
        },
      }),
      { [noopType.name]: counted },
    );
    const instances = Array.from({ length: count }, (_none, index) => {
      const made = noop(`n${index}`, {}, index < 10 ? {} : after(`n${index - 10}`));
      const resolve: DesiredInstance["resolve"] = (lookup) => {
        calls += 1;
        return made.resolve(lookup);
      };
      return { ...made, resolve };
    });
    onAppend(world, (entries) => {
      calls += entries.length;
    });
    const { applied } = await run(world, desiredOf(instances));
    expect([applied.succeeded, recordedIn(world).objects.length]).toEqual([true, count]);
    return calls;
  }

  test("twice as many objects are twice as much work", onlyInLongRun, async () => {
    const [once, twice] = [await workOf(500), await workOf(1_000)];
    expect(twice / once).toBeLessThan(2.1);
  });

  test("thousands of objects in chains, applied and planned again", onlyInLongRun, async () => {
    const length = amount(2_000, 5_000);
    const world = noopWorld();
    const instances = Array.from({ length }, (_none, index) =>
      noop(`n${index}`, {}, index < 50 ? {} : after(`n${index - 50}`)),
    );
    const { applied } = await run(world, desiredOf(instances));
    expect(applied.results.filter(({ status }) => status === "success")).toHaveLength(length);
    const again = await run(world, desiredOf(instances));
    expect(planHasChanges(again.plan)).toBe(false);
  });
});
