/**
 * Settings of a provider, as its block in a configuration has them. Their schema says which there
 * are, and their defaults; `generated/settings.ts` of a provider is the type made of it.
 */

import { parseDurationMs } from "../../../lib/time/duration.ts";
import type { RemoteError } from "../../../model/operation/remote-error.ts";
import type { Value } from "../../../model/value/value.ts";
import { memberOf } from "../../../model/value/value.ts";
import { numberIn } from "../narrow.ts";
import { refusal } from "../refusal.ts";
import { decode } from "./decode.ts";

/** With defaults filled in. Throws `RemoteError` of kind invalid that names the setting. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the type
export function decodeSettings<Block>(provider: string, settings: Value): Block {
  return decode<Block>("providers", provider, settings, (problem) =>
    invalidSetting(provider, problem),
  );
}

export function invalidSetting(provider: string, message: string): RemoteError {
  return refusal("invalid", `provider ${provider}: ${message}`);
}

/** Milliseconds; more than none, which no pattern says. */
export function durationSetting(provider: string, name: string, text: string): number {
  const ms = parseDurationMs(text) ?? 0;
  if (ms === 0) throw invalidSetting(provider, `${name} is not a duration such as 30s`);
  return ms;
}

/** A number below `limits`, such as `relocates_per_datastore`; planning must not fail on any. */
export function limitOf(settings: Value, name: string): number | undefined {
  const limit = numberIn(memberOf(settings, "limits"), name);
  return limit !== undefined && Number.isSafeInteger(limit) && limit >= 1 ? limit : undefined;
}
