/** Helpers of the simulators' tests: running simulators that end with the test, and plain calls. */

import { setTimeout as delay } from "node:timers/promises";
import { afterEach } from "vitest";
import type { LoggedRequest } from "../../../src/simulators/kit/request-log.ts";
import type { RunningSimulators, SimulatorOptions } from "../../../src/simulators/start.ts";
import { startSimulators } from "../../../src/simulators/start.ts";

const running: RunningSimulators[] = [];

afterEach(async () => {
  for (const simulators of running.splice(0)) await simulators.stop();
});

/** Simulators whose clock stands still unless a time scale is given. */
export async function simulate(options: SimulatorOptions): Promise<RunningSimulators> {
  const simulators = await startSimulators({ timeScale: 0, ...options });
  running.push(simulators);
  return simulators;
}

export async function stopNow(simulators: RunningSimulators): Promise<void> {
  running.splice(running.indexOf(simulators), 1);
  await simulators.stop();
}

export type Reply = {
  readonly status: number;
  readonly contentType: string | null;
  readonly headers: Headers;
  readonly text: string;
};

/** Sends one request; `target` is method and path, as `GET /api/vms`. */
export async function call(
  simulators: RunningSimulators,
  target: string,
  body?: string | object,
): Promise<Reply> {
  const [method = "", path = ""] = target.split(" ", 2);
  const response = await fetch(`${simulators.origins.daemon}${path}`, {
    method,
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  return {
    status: response.status,
    contentType: response.headers.get("content-type"),
    headers: response.headers,
    text: await response.text(),
  };
}

/** Code of the transport's error when a call fails, such as ECONNRESET. */
export async function failureOf(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt;
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    return cause instanceof Error && "code" in cause ? String(cause.code) : String(error);
  }
  return "no failure";
}

/** Waits until the log's last entry fulfils the condition; the test's limit ends a hang. */
export async function untilLogged(
  simulators: RunningSimulators,
  condition: (entry: LoggedRequest) => boolean,
): Promise<LoggedRequest> {
  for (;;) {
    const found = simulators.log().find(condition);
    if (found !== undefined) return found;
    await delay(1);
  }
}

/** Sends a request that takes simulated time, and returns once its work has begun. */
export async function begin(
  simulators: RunningSimulators,
  target: string,
  body?: string | object,
): Promise<{ readonly reply: Promise<Reply> }> {
  const before = simulators.log().length;
  const reply = call(simulators, target, body);
  // A reply that comes early is an answer too; its failure is seen by whoever awaits it.
  reply.catch(() => {});
  await untilLogged(simulators, (entry) => entry.n > before && (entry.effect || entry.ended));
  return { reply };
}

export function vixMessage(reply: Reply): string {
  const value: unknown = JSON.parse(reply.text);
  if (typeof value === "object" && value !== null && "message" in value) {
    return String(value.message);
  }
  return `no envelope: ${reply.text}`;
}

/** Code in a refusal of the library's form, or its whole message. */
export function vixCode(reply: Reply): number | string {
  const message = vixMessage(reply);
  const match = /, code: (\d+), operation: \S+$/.exec(message);
  return match === null ? message : Number(match[1]);
}

export async function powerText(simulators: RunningSimulators, id: string): Promise<string> {
  return vixMessage(await call(simulators, `GET /api/vms/power/${id}`));
}
