/**
 * Settings of a provider, as its block in a configuration has them. Their schema says which there
 * are, and their defaults; `generated/settings.ts` of a provider is the type made of it.
 */

import { parseDurationMs } from "../../lib/duration.ts";
import { wordsOfPattern } from "../../lib/pattern-words.ts";
import { compileFilling, type SchemaProblem } from "../../lib/schema.ts";
import type { RemoteError } from "../../model/remote-error.ts";
import type { Value } from "../../model/value.ts";
import { isMap, memberOf } from "../../model/value.ts";
import { numberIn } from "./narrow.ts";
import { refusal } from "./refusal.ts";
import { loadSchema } from "./schema-file.ts";

/**
 * The settings with the defaults of their schema; `null` is unset. Throws `RemoteError` of kind
 * invalid that names the setting, never its value.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the type
export function decodeSettings<Block>(provider: string, settings: Value): Block {
  const block = given(settings);
  const [problem] = compileFilling(loadSchema("providers", provider).json)(block);
  if (problem !== undefined) throw invalidSetting(provider, wordsOf(problem));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type is made of the schema
  return block as Block;
}

/** A copy, since defaults are filled in. */
function given(settings: Value): object {
  const members = Object.entries(isMap(settings) ? settings : {});
  return Object.fromEntries(
    members.flatMap(([name, value]) =>
      value === null ? [] : [[name, isMap(value) ? given(value) : value]],
    ),
  );
}

function wordsOf({ path, keyword, message, pattern = "", params }: SchemaProblem): string {
  const name = path.slice(1).replaceAll("/", ".");
  if (keyword === "required") return `${String(params["missingProperty"])} is not set`;
  if (keyword === "additionalProperties") {
    return `there is no setting ${String(params["additionalProperty"])}`;
  }
  if (keyword === "enum")
    return `${name} is none of ${[params["allowedValues"]].flat().join(", ")}`;
  return `${name} ${wordsOfPattern(pattern) ?? message}`;
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
