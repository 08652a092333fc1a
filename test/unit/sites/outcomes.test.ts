/**
 * What becomes of a change that travels: done, refused before it is sent, never taken (proved), or
 * taken and not answered (unknown). Time passes only where somebody waits.
 */

import { afterEach, describe, expect, test } from "vitest";
import type { Clock } from "../../../src/model/clock.ts";
import { RemoteError } from "../../../src/model/operation/remote-error.ts";
import type { ProviderSession } from "../../../src/model/provider/provider.ts";
import { travelTextMax } from "../../../src/sites/answer.ts";
import { ChannelError, siteProtocol } from "../../../src/sites/call.ts";
import { decode } from "../../../src/sites/codec.ts";
import { realClock } from "../../helpers/program.ts";
import { operation } from "../providers/daemon/daemon-server.ts";
import { startThere, type There } from "./there.ts";

let nowMs = Date.parse("2026-01-05T08:00:00Z");
const clock: Clock = {
  now: () => nowMs,
  sleep: async (ms) => {
    nowMs += ms;
    await realClock.sleep(0);
  },
};

let there: There | undefined;
afterEach(async () => {
  await there?.close();
  there = undefined;
});

type Sent = { readonly id: string; readonly restMs: number };

function start(
  parts: Partial<ProviderSession> = {},
  options: Parameters<typeof startThere>[1] = {},
): { readonly site: There; readonly sent: Sent[]; readonly accesses: string[] } {
  const sent: Sent[] = [];
  const accesses: string[] = [];
  const session: ProviderSession = {
    read: async (wanted) => wanted.map(() => ({ status: "missing", proof: "gone" })),
    send: async ({ id }, deadlineMs) => {
      sent.push({ id, restMs: deadlineMs - clock.now() });
      return { message: "done" };
    },
    version: async () => "5.1",
    readData: async () => ({}),
    forsake: async () => true,
    close: async () => {},
    ...parts,
  };
  const site = startThere(
    async (_provider, _settings, access) => {
      accesses.push(access);
      return session;
    },
    { clock, ...options },
  );
  there = site;
  return { site, sent, accesses };
}

async function errorOf(work: Promise<unknown> | undefined): Promise<RemoteError> {
  const error = await Promise.resolve(work).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof RemoteError) return error;
  throw new Error(`it did not fail as expected: ${String(error)}`);
}

const send = (session: ProviderSession, limitMs = 60_000): Promise<unknown> =>
  session.send(operation("on", "a"), clock.now() + limitMs, { planId: "p-1", tries: 2 });

describe("a change", () => {
  test("is done once, with what is left of its time", async () => {
    const { site, sent } = start();
    site.memory.fence = { state: "7", fence: "12" };
    site.memory.recordedFence = "12";
    const session = await site.open();
    expect(await send(session)).toEqual({ message: "done" });
    expect(sent.map(({ id }) => id)).toEqual(["daemon_vm.x#on.1"]);
    expect(sent[0]?.restMs).toBeGreaterThan(0);
    expect(sent[0]?.restMs).toBeLessThanOrEqual(60_000);
    const [, call] = site.memory.entries.map(({ text }) => decode(text));
    expect(call).toMatchObject({
      fence: { state: "7", fence: "12" },
      operation: { planId: "p-1", tries: 2, operationId: "daemon_vm.x#on.1" },
    });
  });

  test("has no more time than its request may take to show", async () => {
    const { site, sent } = start();
    const session = await site.open();
    const long = operation("on", "a");
    const proof = { ...long.proof, requestLimitMs: 20_000 };
    await session.send({ ...long, proof }, clock.now() + 86_400_000);
    expect(sent[0]?.restMs).toBeLessThanOrEqual(20_000);
  });

  test.each([
    [
      "late",
      (site: There): void => void (site.memory.lateMs = 10_000_000),
      "unavailable",
      "too late",
    ],
    [
      "of another's claim",
      (site: There): void => void (site.memory.claimed = false),
      "unavailable",
      "another",
    ],
    [
      "of a run that lost its lock",
      (site: There) => {
        site.memory.fence = { state: "7", fence: "12" };
        site.memory.recordedFence = "13";
      },
      "busy",
      "lost the lock",
    ],
    [
      "of a state that is gone",
      (site: There): void => void (site.memory.fence = { state: "7", fence: "12" }),
      "busy",
      "lost the lock",
    ],
  ] as const)("that is %s is not sent, and the answer says so", async (_, spoil, kind, words) => {
    const { site, sent } = start();
    const session = await site.open();
    spoil(site);
    const error = await errorOf(send(session));
    expect(error).toMatchObject({ kind, effect: "none" });
    expect(error.message).toContain(words);
    expect(sent).toEqual([]);
  });

  test("that nobody takes is withdrawn, which proves that it was not sent", async () => {
    const { site, sent } = start();
    const session = await site.open();
    site.memory.busy = true;
    const error = await errorOf(send(session));
    expect(error).toMatchObject({ kind: "unavailable", effect: "none" });
    site.memory.busy = false;
    await session.version?.();
    expect(sent).toEqual([]);
    expect(site.memory.entries.map(({ state }) => state)).toContain("withdrawn");
  });

  test("that was cut off before it came was not sent, which is proved at once", async () => {
    const { site, sent } = start();
    const session = await site.open();
    site.memory.cut = "before it came";
    const fromMs = clock.now();
    const error = await errorOf(send(session));
    expect(error).toMatchObject({ kind: "unavailable", effect: "none" });
    expect(error.message).toBe("the call was cut off on its way to the site site-a");
    expect(clock.now() - fromMs).toBeLessThan(10_000);
    expect(await send(session)).toEqual({ message: "done" });
    expect(sent).toHaveLength(1);
  });

  test("that was cut off so long ago that its answer may be gone may have happened", async () => {
    const { site, sent } = start();
    const session = await site.open();
    const { withdraw } = site.memory.channel;
    const away: typeof withdraw = () => {
      Object.assign(site.memory.channel, { withdraw });
      nowMs += 31 * 60_000;
      return Promise.reject(new ChannelError("out of order", true));
    };
    Object.assign(site.memory.channel, { withdraw: away });
    site.memory.cut = "before it came";
    const error = await errorOf(send(session, 32 * 60_000));
    expect(error).toMatchObject({ kind: "timeout", effect: "unknown" });
    expect(sent).toEqual([]);
  });

  test("that was cut off after it came is done once or not at all, and what became of it is told", async () => {
    const { site, sent } = start();
    const session = await site.open();
    site.memory.cut = "after it came";
    const told = await send(session).then(
      () => 1,
      (error: unknown) => (error instanceof RemoteError && error.effect === "none" ? 0 : -1),
    );
    expect(told).toBe(sent.length);
  });

  test("that was taken and is not answered may have happened", async () => {
    const { site, sent } = start();
    const session = await site.open();
    site.memory.mute = true;
    const error = await errorOf(send(session));
    expect(error).toMatchObject({ kind: "timeout", effect: "unknown" });
    expect(sent).toHaveLength(1);
  });

  test("whose agent ends meanwhile may have happened, and is not waited for", async () => {
    const { site } = start();
    const session = await site.open();
    site.memory.mute = true;
    const fromMs = clock.now();
    setTimeout(() => (site.memory.presence = undefined), 3);
    const error = await errorOf(send(session, 86_400_000));
    expect(error).toMatchObject({ kind: "timeout", effect: "unknown" });
    expect(error.message).toContain("has ended since");
    expect(clock.now() - fromMs).toBeLessThan(86_400_000);
  });

  test("that is delivered twice is made once", async () => {
    const { site, sent } = start();
    const session = await site.open();
    await send(session);
    const [, entry] = site.memory.entries;
    if (entry === undefined) throw new Error("nothing was sent");
    delete entry.answer;
    entry.state = "lying";
    while (entry.answer === undefined) await realClock.sleep(1);
    expect(sent).toHaveLength(1);
    expect(decode(entry.answer)).toMatchObject({ status: "refused", reason: "claim" });
  });

  test("what the server refuses there is what is thrown here", async () => {
    const refuse: ProviderSession["send"] = () =>
      Promise.reject(
        new RemoteError({
          kind: "conflict",
          effect: "none",
          message: "it is there already",
          status: 409,
          attributes: { size: 5n },
        }),
      );
    const { site } = start({ send: refuse });
    expect(await errorOf(send(await site.open()))).toMatchObject({
      kind: "conflict",
      effect: "none",
      message: "it is there already",
      status: 409,
      attributes: { size: 5n },
    });
  });
});

describe("fences", () => {
  test("that go back are those of a database of an earlier time: nothing is sent", async () => {
    const { site, sent } = start();
    const session = await site.open();
    const under = (fence: string): Promise<unknown> => {
      site.memory.fence = { state: "7", fence };
      site.memory.recordedFence = fence;
      return send(session);
    };
    await under("12");
    const error = await errorOf(under("9"));
    expect(error).toMatchObject({ kind: "busy", effect: "none" });
    expect(error.message).toContain("the database was restored from a backup");
    expect(sent).toHaveLength(1);
    await under("13");
    expect(sent).toHaveLength(2);
  });
});

describe("an agent that is silent", () => {
  const silence = ({ memory }: There): void => {
    if (memory.presence !== undefined) {
      memory.presence = { ...memory.presence, silentSinceMs: clock.now() };
    }
  };

  test("is as good as none: what it has not taken is withdrawn", async () => {
    const { site, sent } = start();
    const session = await site.open();
    silence(site);
    const error = await errorOf(send(session));
    expect(error).toMatchObject({ kind: "unavailable", effect: "none" });
    expect(error.message).toMatch(/^the agent of the site site-a on there is silent since 20/);
    expect(sent).toEqual([]);
  });

  test("may still send what it has taken, which is waited for", async () => {
    const { site } = start();
    const session = await site.open();
    site.memory.mute = true;
    const fromMs = clock.now();
    setTimeout(() => silence(site), 3);
    const error = await errorOf(send(session, 60_000));
    expect(error).toMatchObject({ kind: "timeout", effect: "unknown" });
    expect(clock.now() - fromMs).toBeGreaterThanOrEqual(60_000);
  });
});

describe("an agent that is absent", () => {
  test("fails what needs it at once", async () => {
    const { site } = start();
    site.memory.presence = undefined;
    const error = await errorOf(site.open());
    expect(error).toMatchObject({ kind: "unavailable", effect: "none" });
    expect(error.message).toContain("no agent of the site site-a is there");
  });

  test("is waited for where settings say so; a change is put off, for the engine to begin anew", async () => {
    const { site, sent } = start();
    const session = await site.open({}, { waitMs: 600_000 });
    const { presence } = site.memory;
    site.memory.presence = undefined;
    const put = await errorOf(send(session));
    expect(put).toMatchObject({ kind: "busy", effect: "none" });
    expect(put.retryAfterMs).toBeGreaterThan(0);
    setTimeout(() => (site.memory.presence = presence), 5);
    expect(await session.version?.()).toBe("5.1");
    site.memory.presence = undefined;
    await errorOf(send(session));
    await clock.sleep(700_000);
    expect(await errorOf(send(session))).toMatchObject({ kind: "unavailable", effect: "none" });
    expect(sent).toEqual([]);
  });

  test("a read that was taken by one that ended is made again by the next", async () => {
    const { site } = start();
    const session = await site.open();
    const { presence } = site.memory;
    site.memory.mute = true;
    setTimeout(() => {
      site.memory.mute = false;
      site.memory.presence = { ...presence!, agent: "agent-2" };
    }, 5);
    expect(await session.version?.()).toBe("5.1");
    expect(site.memory.entries).toHaveLength(3);
  });
});

describe("an agent refuses", () => {
  test("changes where it is read-only, and opens sessions that would refuse them as well", async () => {
    const { site, sent, accesses } = start({}, { readOnly: true });
    const session = await site.open();
    expect(await errorOf(send(session))).toMatchObject({ kind: "forbidden", effect: "none" });
    expect(await session.version?.()).toBe("5.1");
    expect(sent).toEqual([]);
    expect(accesses).toEqual(["read"]);
    site.memory.presence = { ...site.memory.presence!, readOnly: true };
    expect((await errorOf(send(session))).message).toContain("read-only");
  });

  test.each([
    ["another", { url: "http://attacker.example:8080" }, false],
    ["none that is named", {}, false],
    ["a path of one that it knows", { url: "http://127.0.0.1:8080/api" }, true],
  ])("endpoints that it was not started for: %s", async (_, settings, isTaken) => {
    const { site, accesses } = start({}, { endpoints: ["http://127.0.0.1:8080"] });
    const error = await site.open(settings).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error === undefined).toBe(isTaken);
    expect(accesses).toHaveLength(isTaken ? 1 : 0);
  });

  test("is not asked where it speaks otherwise", async () => {
    const { site } = start();
    const { presence } = site.memory;
    site.memory.presence = { ...presence!, protocol: siteProtocol + 1, version: "9.9.9" };
    const error = await errorOf(site.open());
    expect(error).toMatchObject({ kind: "precondition", effect: "none" });
    expect(error.message).toMatch(/vmform 9\.9\.9.*same version on both sides/);
    expect(site.memory.entries).toEqual([]);
  });

  test("what it cannot read", async () => {
    const { site } = start();
    await site.open();
    for (const text of ["", "<html>", "{}", '{"protocol":99,"method":"send","words":[]}']) {
      await site.memory.channel.offer("site-a", text, text);
      const answer = await site.memory.channel.answer("site-a", text, 60_000);
      expect(decode(answer ?? "")).toMatchObject({ status: "refused", reason: "protocol" });
    }
    const session = await site.open();
    expect(await session.version?.()).toBe("5.1");
  });
});

describe("a login is ended as a proof", () => {
  test("where everything was sent under it", async () => {
    const { site } = start();
    const session = await site.open();
    expect(await session.forsake?.()).toBe(true);
  });

  test("not where the agent has opened the session again meanwhile", async () => {
    const { site } = start();
    const session = await site.open();
    await session.close();
    await session.version?.();
    expect(await session.forsake?.()).toBe(false);
  });
});

describe("what is too large to travel", () => {
  const large = "x".repeat(travelTextMax);

  test("is told instead of the answer, of which nothing is written", async () => {
    const { site, sent } = start({
      readData: async () => ({ large }),
      send: async ({ id }) => {
        sent.push({ id, restMs: 0 });
        return { message: large };
      },
    });
    const session = await site.open();
    const read = await errorOf(session.readData?.("t", {}));
    expect(read).toMatchObject({ kind: "protocol", effect: "none" });
    expect(read.message).toMatch(/^the answer has \d+ characters, and no more than \d+ travel$/);
    // It was done, whatever it has told.
    expect(await errorOf(send(session))).toMatchObject({ kind: "protocol", effect: "unknown" });
    expect(sent).toHaveLength(1);
    for (const { answer = "" } of site.memory.entries) expect(answer.length).toBeLessThan(1000);
  });

  test("is not handed over, and the agent goes on", async () => {
    const { site } = start();
    const session = await site.open();
    const before = site.memory.entries.length;
    const error = await errorOf(session.readData?.("t", { large }));
    expect(error).toMatchObject({ kind: "invalid", effect: "none" });
    expect(site.memory.entries).toHaveLength(before);
    expect(await session.version?.()).toBe("5.1");
  });
});

test("a read that was cut off on its way is made again, and not waited for", async () => {
  const { site } = start();
  const session = await site.open();
  for (const cut of ["before it came", "after it came"] as const) {
    site.memory.cut = cut;
    const fromMs = clock.now();
    expect(await session.version?.()).toBe("5.1");
    expect(clock.now() - fromMs).toBeLessThan(10_000);
  }
});

test("a read waits behind hundreds of others for longer than a change may", async () => {
  const { site } = start();
  const session = await site.open();
  site.memory.busy = true;
  const fromMs = clock.now();
  await errorOf(send(session, 600_000));
  expect(clock.now() - fromMs).toBeLessThan(60_000);
  const reading = session.version?.();
  while (clock.now() - fromMs < 120_000) await realClock.sleep(0);
  site.memory.busy = false;
  expect(await reading).toBe("5.1");
});

describe("secrets of the site", () => {
  const password = "hunter2-of-the-site";

  test("are masked in words", async () => {
    const message = `login as root:${password} refused`;
    const fail = () =>
      Promise.reject(new RemoteError({ kind: "forbidden", effect: "none", message }));
    const { site } = start({
      version: fail,
      read: async () => [{ status: "unreadable", rule: "failed", reason: message }],
    });
    site.mask.add(password);
    const session = await site.open();
    expect((await errorOf(session.version?.())).message).toBe("login as root:*** refused");
    expect(await session.read([{} as never])).toMatchObject([
      { reason: "login as root:*** refused" },
    ]);
  });

  test("are not handed on as values, nor as names, nor in bytes that are told of a refusal", async () => {
    const attributes = { note: `it is ${password}` };
    const { site, sent } = start({
      read: async () => [{ status: "found", identity: "a", attributes, unreadable: {} }],
      readData: async () => ({ [password]: 1 }),
      send: () =>
        Promise.reject(
          new RemoteError({ kind: "conflict", effect: "none", message: "no", attributes }),
        ),
    });
    site.mask.add(password);
    const session = await site.open();
    const errors = [
      await errorOf(session.read([{} as never])),
      await errorOf(session.readData?.("t", {})),
      await errorOf(send(session)),
    ];
    expect(errors.map(({ effect }) => effect)).toEqual(["none", "none", "unknown"]);
    for (const { message } of errors) expect(message).toContain("was not handed on");
    const written = site.memory.entries.map(({ text, answer }) => `${text}${answer}`).join("");
    expect(written).not.toContain("hunter2");
    expect(sent).toEqual([]);
  });
});
