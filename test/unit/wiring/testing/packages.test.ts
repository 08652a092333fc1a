/** Provider packages in the world of a test: what they simulate, and what they do wrong in it. */

import { describe, expect, test } from "vitest";
import { createSecretMask } from "../../../../src/lib/mask.ts";
import type { Clock } from "../../../../src/model/clock.ts";
import type { LoadedPackage } from "../../../../src/model/provider/package.ts";
import { providerBehindDoor } from "../../../../src/providers/package/behind-door.ts";
import { createTestClock } from "../../../../src/wiring/testing/clock.ts";
import { openTestPackages } from "../../../../src/wiring/testing/packages.ts";

const mask = createSecretMask();

function packageWith(simulate?: unknown): Promise<LoadedPackage> {
  const settings = { type: "object", additionalProperties: false, properties: {} };
  const open = (): never => {
    throw new Error("the real other side was asked");
  };
  const given = { name: "lamp", settings, types: [], open };
  return providerBehindDoor("lamp@1.0.0", () =>
    simulate === undefined ? given : { ...given, simulate },
  );
}

async function opened(simulate: unknown, starts = {}) {
  const item = await packageWith(simulate);
  const clock = createTestClock(0, () => packages.running());
  const packages = await openTestPackages([item], starts, { clock: () => clock, mask });
  const session = () => {
    const [first] = packages.loaded;
    if (first === undefined) throw new Error("none is loaded");
    const ports = { access: "mutate" as const, clock, path: String, log: () => {}, mask };
    return first.open({}, ports);
  };
  return { packages, session, clock };
}

test("one that simulates nothing is not opened, and takes no world", async () => {
  const { session, packages } = await opened(undefined);
  await expect(session()).rejects.toThrow(/simulated worlds alone, and lamp@1.0.0 has none/);
  await expect(packages.change({ lamp: {} })).rejects.toThrow(/lamp@1.0.0 simulates no world/);
  await expect(opened(undefined, { lamp: {} })).rejects.toThrow(/simulates no world/);
});

test("a world of a package that there is not is no mistake of the package", async () => {
  await expect(opened(() => ({}), { lamb: {} })).rejects.toThrow(/No provider package .* lamb/);
});

test.each([
  ["no world", () => ({}), /gives back no world with open and present/],
  ["an error", () => Promise.reject(new Error("broken")), /failed: simulate: .*broken/],
  ["nothing", () => undefined, /gives back no world/],
])("%s in the place of a world is the fault of the package", async (_what, simulate, told) => {
  await expect(opened(simulate)).rejects.toThrow(told);
});

test("what is there and what is changed is asked of it, and copied", async () => {
  const lamps: { [name: string]: string } = { hall: "on" };
  const { packages } = await opened((start: object) => ({
    open: () => ({}),
    present: () => Object.assign(lamps, start),
    change: (change: object) => void Object.assign(lamps, change),
  }));
  const before = packages.present();
  await packages.change({ lamp: { hall: "off" } });
  expect([before, packages.present()]).toEqual([
    { lamp: { hall: "on" } },
    { lamp: { hall: "off" } },
  ]);
});

test.each([
  ["no map", () => [], /present: it gives back no map/],
  ["no JSON", () => ({ on: () => {} }), /present: .*which is no JSON/],
])("a world that is %s is its fault", async (_what, present, told) => {
  const { packages } = await opened(() => ({ open: () => ({}), present }));
  expect(() => packages.present()).toThrow(told);
  await expect(packages.change({ lamp: {} })).rejects.toThrow(/its world cannot be changed/);
});

test("time jumps over what it waits for, and not while it works", async () => {
  const { session, clock } = await opened((_start: unknown, ports: { clock: Clock }) => ({
    present: () => ({}),
    open: async () => ({
      close: async () => {},
      send: async () => ({}),
      read: async () => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        const before = ports.clock.now();
        await ports.clock.sleep(3_600_000);
        if (before !== 0 || ports.clock.now() !== 3_600_000) throw new Error("time went wrong");
        return [];
      },
    }),
  }));
  const other = clock.sleep(7_200_000);
  expect(await (await session()).read([])).toEqual([]);
  await other;
  expect(clock.now()).toBe(7_200_000);
});

describe("what a test says goes wrong", () => {
  const lamp = async () => {
    const done: string[] = [];
    const { packages, session, clock } = await opened(() => ({
      present: () => ({}),
      open: async () => ({
        close: async () => {},
        read: async () => [],
        send: async ({ verb }: { readonly verb: string }) => {
          done.push(verb);
          return {};
        },
      }),
    }));
    const lampSession = await session();
    const read = (): Promise<unknown> => lampSession.read([]);
    const change = (verb: string) => {
      const subject = { address: "lamp_bulb.a", objectKey: "current", type: "lamp_bulb" };
      const operation = { verb, subject, request: { inputs: {} } };
      return lampSession.send(operation as never, 1_000);
    };
    return { packages, change, read, clock, done };
  };

  test("a refusal leaves nothing done, a lost reply leaves it done, and each is counted", async () => {
    const { packages, change, done, clock } = await lamp();
    packages.setFaults({
      lamp: [
        { on: "ON **", refuse: "The fuse is out." },
        { on: "* **", lose: "request", nth: 2n, delay_ms: 60_000n },
        { on: "OFF **", lose: "reply", name: "dark", times: "always" },
        { on: "DIM **", refuse: "never met" },
      ],
    });
    const effects = (effect: string) => expect.objectContaining({ effect });
    await expect(change("ON")).rejects.toEqual(effects("none"));
    await expect(change("ON")).rejects.toEqual(effects("unknown"));
    expect(clock.now()).toBe(60_000);
    await expect(change("OFF")).rejects.toEqual(effects("unknown"));
    await change("ON");
    expect(done).toEqual(["OFF", "ON"]);
    expect(packages.sent().map(({ fault, effect, refused }) => [fault, effect, refused])).toEqual([
      ["fault 1 of lamp", false, true],
      ["fault 2 of lamp", false, false],
      ["dark", true, false],
      [null, true, false],
    ]);
    expect(packages.faults().map(({ used }) => used)).toEqual([true, true, true, false]);
    packages.setFaults(undefined);
    await change("OFF");
  });

  test("looking fails where it is meant, and nowhere else", async () => {
    const { packages, read, change } = await lamp();
    packages.setFaults({ lamp: [{ on: "* **", refuse: "No" }] });
    expect(await read()).toEqual([]);
    packages.setFaults({ lamp: [{ on: "READ /", lose: "reply" }] });
    await change("ON");
    await expect(read()).rejects.toEqual(expect.objectContaining({ effect: "none" }));
    expect(await read()).toEqual([]);
  });

  test.each([
    [{ lamp: [{ on: "ON /" }] }, /fault 1 of lamp needs one of refuse, lose and delay_ms/],
    [{ lamp: [{ on: "ON /", lose: "reply", refuse: "No" }] }, /Only one of refuse and lose/],
    [{ lamb: [] }, /No provider package .* lamb/],
  ])("%j cannot be", async (faults, told) => {
    const { packages } = await lamp();
    expect(() => packages.setFaults(faults)).toThrow(told);
  });
});
