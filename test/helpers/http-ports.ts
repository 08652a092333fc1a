/** Ports of the HTTP client for tests: a clock that only sleeping moves, and what was noticed. */

import type {
  HttpLogRecord,
  HttpPorts,
  HttpTarget,
  RetryNotice,
  SentRequest,
} from "../../src/http/call.ts";
import { createHttpClients } from "../../src/http/client.ts";
import { createSecretMask } from "../../src/lib/mask.ts";
import type { ProviderPorts } from "../../src/providers/kit/factory.ts";

export type TestPorts = HttpPorts & {
  readonly retries: RetryNotice[];
  readonly records: HttpLogRecord[];
  readonly sent: SentRequest[];
};

export const testEpochMs = Date.parse("2026-01-02T03:04:05Z");

export function testPorts(changes: Partial<HttpPorts> = {}): TestPorts {
  const retries: RetryNotice[] = [];
  const records: HttpLogRecord[] = [];
  const sent: SentRequest[] = [];
  let nowMs = testEpochMs;
  return {
    clock: {
      now: () => nowMs,
      sleep: async (ms) => {
        nowMs += ms;
      },
    },
    random: () => 0.5,
    environment: {},
    mask: createSecretMask(),
    readOnly: false,
    onRetry: (notice) => void retries.push(notice),
    log: (record) => void records.push(record),
    onExchange: (request) => void sent.push(request),
    ...changes,
    retries,
    records,
    sent,
  };
}

/** For providers whose settings name no files. */
export const readNoFile = (path: string): Promise<string> =>
  Promise.reject(new Error(`${path} is not there`));

/** A provider's ports over real HTTP. */
export function providerPorts(ports: TestPorts): ProviderPorts {
  return { http: createHttpClients(ports), clock: ports.clock, readTextFile: readNoFile };
}

/** Limits that only a hang reaches. */
export function testTarget(origin: string, changes: Partial<HttpTarget> = {}): HttpTarget {
  return {
    origin,
    requestTimeoutMs: 60_000,
    connectTimeoutMs: 60_000,
    parallelReads: 8,
    ...changes,
  };
}
