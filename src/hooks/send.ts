/**
 * Telling one hook: a few tries with pauses between, each with a limit. Whether it was told is all
 * that comes of it, and nothing here throws: a run never depends on who is told of it.
 */

import type { HttpClientFactory } from "../http/call.ts";
import { stringifyJson } from "../lib/json.ts";
import type { SecretMask } from "../lib/mask.ts";
import type { Clock } from "../model/clock.ts";
import type { Hook, HookMessage } from "../model/said/hook.ts";
import type { SecretReference } from "../model/value/secret-reference.ts";
import type { ValueMap } from "../model/value/value.ts";

export type HookPorts = {
  readonly clock: Clock;
  readonly mask: SecretMask;
  /** Own version, as in `0.1.0`. */
  readonly version: string;
  /** Reads a secret that the hook names. */
  readonly readSecret: (hook: Hook, reference: SecretReference) => Promise<string>;
  readonly environment: { readonly [name: string]: string | undefined };
  readonly http: () => Promise<HttpClientFactory>;
};

/** `again` is false where another try would end alike. */
export type Told =
  | { readonly ok: true }
  | { readonly ok: false; readonly why: string; readonly again: boolean };

/** All tries together: a run that has ended waits no longer for who is told of it. */
const wholeMs = 60_000;
const pauseMs = { first: 500, max: 5_000 };

/** Why the hook could not be told, masked; undefined once it has been. */
export async function sendHook(
  ports: HookPorts,
  hook: Hook,
  message: HookMessage,
): Promise<string | undefined> {
  const body = stringifyJson(bodyOf(ports, message));
  const untilMs = ports.clock.now() + wholeMs;
  for (let done = 1; ; done += 1) {
    const limitMs = Math.max(1, Math.min(hook.limitMs, untilMs - ports.clock.now()));
    const told = await tryOnce(ports, { ...hook, limitMs }, body);
    if (told.ok) return undefined;
    const why = ports.mask.mask(told.why);
    if (!told.again) return why;
    if (done >= hook.tries || ports.clock.now() >= untilMs)
      return hook.tries === 1 ? why : `${why}, after ${done} tries`;
    await ports.clock.sleep(Math.min(pauseMs.first * 2 ** (done - 1), pauseMs.max));
  }
}

async function tryOnce(ports: HookPorts, hook: Hook, body: string): Promise<Told> {
  try {
    if (hook.kind === "command") {
      const { tellProgram } = await import("./program.ts");
      return await tellProgram(hook, ports, body);
    }
    const { tellServer } = await import("./webhook.ts");
    return await tellServer(ports, hook, body);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, why, again: false };
  }
}

/** What is masked is a part of the document: a secret may be a character that JSON needs. */
function bodyOf(
  { mask, version }: HookPorts,
  { atMs, summary, ...message }: HookMessage,
): ValueMap {
  const at = new Date(atMs).toISOString();
  const head = { format_version: "1.0", vmform_version: version, at };
  return { ...head, ...message, summary: mask.mask(summary) };
}
