/** The s3 store keeps what every store promises, on servers that keep conditions; others it refuses. */

import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Store } from "../../src/model/recorded/store.ts";
import type { StateReply, StateRequest } from "../../src/store/document/exchange.ts";
import { problemOf } from "../unit/store/local/fixtures.ts";
import { checkStore } from "./conformance.ts";
import { openS3Store } from "./s3-place.ts";
import {
  motoServer,
  type RunningS3,
  startCareless,
  startMoto,
  startVersity,
  versitygw,
} from "./s3-server.ts";

const traits = { forceUnlock: "fences", killed: "stays locked" } as const;

type Starting = () => Promise<RunningS3>;

function starting(
  program: string | undefined,
  start: (program: string) => Promise<RunningS3>,
): Starting | undefined {
  return program === undefined ? undefined : () => start(program);
}

const good: readonly (readonly [string, Starting | undefined])[] = [
  ["ours", () => startCareless([])],
  ["moto", starting(motoServer, startMoto)],
  ["versitygw", starting(versitygw, (program) => startVersity(program, true))],
];

for (const [name, start] of good) {
  describe.skipIf(start === undefined)(`on ${name}`, () => {
    let server: RunningS3 | undefined;
    beforeAll(async () => {
      if (start !== undefined) server = await start();
    }, 60_000);
    afterAll(() => server?.stop());
    checkStore(`s3 (${name})`, traits, async () => {
      const killers = new Map<Store, () => void>();
      const key = `team a/lab+1/${randomUUID()}.json`;
      return {
        open: (host) => {
          const { store, kill } = openS3Store(server?.endpoint ?? "", key, host);
          killers.set(store, kill);
          return store;
        },
        kill: async (store) => killers.get(store)?.(),
        remove: async () => {},
      };
    });
  });
}

const bad: readonly (readonly [string, Starting | undefined])[] = [
  ["that passes over If-None-Match", () => startCareless(["if-none-match"])],
  ["that passes over If-Match", () => startCareless(["if-match"])],
  ["that passes over both", () => startCareless(["if-match", "if-none-match"])],
  ["versitygw without metadata", starting(versitygw, (program) => startVersity(program, false))],
];

describe.each(bad)("a server %s", (_name, start) => {
  test.skipIf(start === undefined)("is refused, and left unlocked", async () => {
    if (start === undefined) return;
    const server = await start();
    const { store } = openS3Store(server.endpoint, "lab.json", "host-a");
    try {
      const refused = await problemOf(store.lock("apply", 0));
      expect(refused.code).toBe("STO032");
      expect(await store.holder()).toBeUndefined();
      expect(await store.read()).toEqual({ snapshot: undefined, journal: [] });
    } finally {
      await store.close();
      await server.stop();
    }
  });
});

describe("taking the lock", () => {
  let server: RunningS3;
  beforeAll(async () => {
    server = await startCareless([]);
  });
  afterAll(() => server.stop());
  const instead = (n: number, status: number, text: string) => {
    let count = 0;
    return ({ method, url }: StateRequest): StateReply | undefined => {
      if (method !== "PUT" || !url.endsWith(".lock") || (count += 1) !== n) return undefined;
      return { status, contentType: "application/xml", text };
    };
  };

  test("what is taken and cannot be tried out is given back", async () => {
    const denied = instead(2, 403, "<Code>AccessDenied</Code>");
    const { store } = openS3Store(server.endpoint, "denied.json", "host-a", denied);
    expect((await problemOf(store.lock("apply", 0))).code).toBe("STO021");
    expect(await store.holder()).toBeUndefined();
    await store.close();
  });

  test("one that was given back since it was refused is taken", async () => {
    const held = instead(1, 412, "<Code>PreconditionFailed</Code>");
    const { store } = openS3Store(server.endpoint, "held.json", "host-a", held);
    const { lockId } = await store.lock("apply", 0);
    expect((await store.holder())?.id).toBe(lockId);
    await store.close();
  });
});

describe("giving the lock back", () => {
  let server: RunningS3;
  beforeAll(async () => {
    server = await startCareless([]);
  });
  afterAll(() => server.stop());

  test("what another has taken meanwhile stays", async () => {
    const other = openS3Store(server.endpoint, "taken.json", "host-b").store;
    let theirs: string | undefined;
    const { store } = openS3Store(server.endpoint, "taken.json", "host-a", async ({ method }) => {
      if (method !== "DELETE") return undefined;
      // Between its look and its request.
      await other.forceUnlock(held.lockId);
      theirs = (await other.lock("destroy", 0)).lockId;
      return undefined;
    });
    const held = await store.lock("apply", 0);
    await store.unlock(held).catch(() => undefined);
    expect(theirs).toBeDefined();
    expect((await other.holder())?.id).toBe(theirs);
    await store.close();
    await other.close();
  });

  test.each([400, 501])(
    "a server that answers %i to the condition is asked without",
    async (status) => {
      const refused: string[] = [];
      const { store } = openS3Store(
        server.endpoint,
        `plain-${status}.json`,
        "host-a",
        (request) => {
          const condition = request.headers?.["if-match"];
          if (request.method !== "DELETE" || condition === undefined) return undefined;
          refused.push(condition);
          return { status, contentType: "application/xml", text: "<Code>NotImplemented</Code>" };
        },
      );
      await store.unlock(await store.lock("apply", 0));
      expect(refused).toHaveLength(1);
      expect(await store.holder()).toBeUndefined();
      await store.close();
    },
  );
});
