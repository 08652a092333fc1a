/** Encryption on servers of S3 that nobody here wrote: what each store promises, sealed as well. */

import { randomUUID } from "node:crypto";
import { AwsClient } from "aws4fetch";
import { afterAll, beforeAll, describe } from "vitest";
import type { Store } from "../../src/model/recorded/store.ts";
import { amount, isLongRun } from "../helpers/amount.ts";
import { keySeal } from "../helpers/seals.ts";
import { checkStore } from "./conformance.ts";
import { bucket, keys, openS3Store } from "./s3-place.ts";
import { motoServer, type RunningS3, startMoto, startVersity, versitygw } from "./s3-server.ts";
import { checkSealing } from "./sealing.ts";

type Starting = (() => Promise<RunningS3>) | undefined;

function starting(
  program: string | undefined,
  start: (program: string) => Promise<RunningS3>,
): Starting {
  return program === undefined ? undefined : () => start(program);
}

/** A person who waits has the first one. */
const servers: readonly (readonly [string, Starting])[] = [
  ["versitygw", starting(versitygw, (program) => startVersity(program, true))],
  ["moto", starting(motoServer, startMoto)],
];

for (const [name, start] of servers.slice(0, amount(1, servers.length))) {
  describe.skipIf(start === undefined)(`on ${name}`, () => {
    let server: RunningS3 | undefined;
    const endpoint = (): string => server?.endpoint ?? "";
    beforeAll(async () => {
      server = await start?.();
    }, 60_000);
    afterAll(() => server?.stop());

    checkSealing(`s3 (${name})`, async () => {
      const key = `lab/${randomUUID()}.json`;
      const client = new AwsClient({ ...keys, service: "s3", region: "us-east-1" });
      return {
        open: (seal) => openS3Store(endpoint(), key, "host-a", undefined, seal).store,
        kept: async () => {
          const reply = await client.fetch(`${endpoint()}/${bucket}/${key}`);
          return (await reply.text()).replaceAll("\\", "");
        },
        // A place is asked for once more after it was removed, and is another one then.
        remove: async () => {},
      };
    });

    // All of it in the long run.
    describe.runIf(isLongRun)("in full", () => {
      checkStore(
        `sealed s3 (${name})`,
        { forceUnlock: "fences", killed: "stays locked" },
        async () => {
          const killers = new Map<Store, () => void>();
          const key = `lab/${randomUUID()}.json`;
          return {
            open: (host) => {
              const { store, kill } = openS3Store(endpoint(), key, host, undefined, keySeal());
              killers.set(store, kill);
              return store;
            },
            kill: async (store) => killers.get(store)?.(),
            remove: async () => {},
          };
        },
      );
    });
  });
}
