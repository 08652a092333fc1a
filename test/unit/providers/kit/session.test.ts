/** Keeping a session: how often it is opened, whoever finds it expired, and how it ends. */

import { expect, test } from "vitest";
import { RemoteError, type RemoteErrorKind } from "../../../../src/model/operation/remote-error.ts";
import { keepSession, type Outcome } from "../../../../src/providers/kit/session.ts";

function failure(kind: RemoteErrorKind, status?: number): RemoteError {
  const detail = { kind, effect: "none", message: kind } as const;
  return new RemoteError(status === undefined ? detail : { ...detail, status });
}

/** Sessions are numbers in the order of their logins; `expired` is what the server forgot. */
function scripted(
  open: (login: number, checkOpen: () => void) => Promise<void> = async () => {},
  sleep: (ms: number) => Promise<void> = () => new Promise(() => {}),
  closes = true,
) {
  const expired = new Set<number>();
  const closed: number[] = [];
  let logins = 0;
  const keeper = keepSession<number>({
    peer: "the server",
    clock: { now: () => 0, sleep },
    open: async (checkOpen) => {
      logins += 1;
      const login = logins;
      await open(login, checkOpen);
      return login;
    },
    close: async (session) => {
      closed.push(session);
      return closes;
    },
  });
  const send = async (session: number): Promise<Outcome<number>> =>
    expired.has(session) ? { expired: failure("unauthorized") } : { answer: session };
  return { keeper, expired, closed, send, logins: () => logins };
}

function gateOf(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

test("one login serves all, and so does the one after it expired", async () => {
  const { keeper, expired, send, logins } = scripted();
  const all = (): Promise<number[]> => Promise.all([1, 2, 3].map(() => keeper.run(send)));
  expect(await all()).toEqual([1, 1, 1]);
  expired.add(1);
  expect(await all()).toEqual([2, 2, 2]);
  expect(logins()).toBe(2);
});

test("a new session that is refused before it was ever taken is not renewed again", async () => {
  const { keeper, expired, send, logins } = scripted();
  for (const session of [1, 2, 3, 4]) expired.add(session);
  for (let index = 0; index < 3; index += 1) {
    await expect(keeper.run(send)).rejects.toMatchObject({ kind: "unauthorized" });
  }
  expect(logins()).toBe(2);
});

test("an error in the server's words shows that it knew the session", async () => {
  const { keeper, expired, send, logins } = scripted();
  await keeper.run(send);
  expired.add(1);
  const work = (session: number): Promise<Outcome<number>> =>
    session === 1 ? send(session) : Promise.reject(failure("busy", 500));
  await expect(keeper.run(work)).rejects.toMatchObject({ kind: "busy" });
  expired.add(2);
  expect(await keeper.run(send)).toBe(3);
  expect(logins()).toBe(3);
});

test.each([
  ["unauthorized", 1],
  ["unavailable", 3],
] as const)("a login refused as %s is tried %i times by three", async (kind, times) => {
  const { keeper, send, logins } = scripted(() => Promise.reject(failure(kind)));
  for (let index = 0; index < 3; index += 1) {
    await expect(keeper.run(send)).rejects.toMatchObject({ kind });
  }
  expect(logins()).toBe(times);
});

test.each([true, false])(
  "what was sent is forsaken with its session: confirmed %s",
  async (sure) => {
    const { keeper, send, closed, logins } = scripted(undefined, undefined, sure);
    await keeper.run(send);
    expect(await keeper.forsake()).toBe(sure);
    expect(closed).toEqual([1]);
    expect(await keeper.run(send)).toBe(2);
    expect(logins()).toBe(2);
    await keeper.end();
    expect(closed).toEqual([1, 2]);
  },
);

test("nothing was sent under a session that never opened", async () => {
  const { keeper, closed } = scripted();
  expect(await keeper.forsake()).toBe(true);
  expect(closed).toEqual([]);
});

test("the next session opens when the forsaken one is closed, and is one for all", async () => {
  const { keeper, send, closed } = scripted(async (login) => {
    if (login === 2) expect(closed).toEqual([1]);
  });
  await keeper.run(send);
  const forsaken = keeper.forsake();
  expect(await Promise.all([keeper.run(send), keeper.run(send)])).toEqual([2, 2]);
  expect(await forsaken).toBe(true);
});

test("the end closes what is open, once, and later uses are errors", async () => {
  const { keeper, send, closed } = scripted();
  await keeper.run(send);
  await Promise.all([keeper.end(), keeper.end()]);
  expect(closed).toEqual([1]);
  await expect(keeper.current()).rejects.toThrow("the session with the server was closed here");
});

test("nothing is closed that was never opened", async () => {
  const { keeper, closed } = scripted();
  await keeper.end();
  expect(closed).toEqual([]);
});

test("the end waits for a beginning, which may find that nobody wants it any more", async () => {
  const gate = gateOf();
  const late = scripted(() => gate.promise);
  const running = late.keeper.current();
  const ending = late.keeper.end();
  gate.resolve();
  await Promise.all([running, ending]);
  expect(late.closed).toEqual([1]);

  const second = gateOf();
  const stopped = scripted(async (_login, checkOpen) => {
    await second.promise;
    checkOpen();
  });
  const refused = stopped.keeper.current();
  const end = stopped.keeper.end();
  second.resolve();
  await expect(refused).rejects.toThrow("closed here");
  await end;
  expect(stopped.closed).toEqual([]);
});

test("a beginning that never comes is given up", async () => {
  const slept: number[] = [];
  const stuck = scripted(
    () => new Promise(() => {}),
    async (ms) => void slept.push(ms),
  );
  void stuck.keeper.current();
  await stuck.keeper.end();
  expect(slept).toEqual([5000]);
  expect(stuck.closed).toEqual([]);
});
