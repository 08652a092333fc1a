/** Reading the settings of a provider, whichever it is: a schema cannot check all of them. */

import { parseDurationMs } from "../../lib/duration.ts";
import { type RemoteError } from "../../model/remote-error.ts";
import type { Value } from "../../model/value.ts";
import { memberOf, textIn } from "./narrow.ts";
import { refusal } from "./refusal.ts";

/** Every method that throws, throws `RemoteError` of kind invalid that names the setting. */
export type SettingsReader = {
  /** Undefined when unset or null. */
  member(name: string): Value | undefined;
  text(name: string): string | undefined;
  /** A text that must not be empty. */
  needed(name: string): string;
  flag(name: string): boolean;
  /** A whole number of at least 1. */
  count(name: string, fallback: number): number;
  /** Milliseconds; more than none. `fallback` is written as in a configuration. */
  durationMs(name: string, fallback: string): number;
  invalid(message: string): RemoteError;
};

export function settingsReader(provider: string, settings: Value): SettingsReader {
  const invalid = (message: string): RemoteError =>
    refusal("invalid", `provider ${provider}: ${message}`);
  const member = (name: string): Value | undefined => memberOf(settings, name) ?? undefined;
  const text = (name: string): string | undefined => textSetting(settings, name);
  return {
    member,
    text,
    needed: (name) => {
      const value = text(name);
      if (value === undefined || value === "") throw invalid(`${name} is not set`);
      return value;
    },
    flag: (name) => member(name) === true,
    count: (name, fallback) => {
      const number = countOf(member(name) ?? fallback);
      if (number === undefined) throw invalid(`${name} is not a whole number of at least 1`);
      return number;
    },
    durationMs: (name, fallback) => {
      const ms = parseDurationMs(text(name) ?? fallback);
      if (ms === undefined || ms === 0) throw invalid(`${name} is not a duration such as 30s`);
      return ms;
    },
    invalid,
  };
}

/** A text of settings that may be anything; planning must not fail on them. */
export function textSetting(settings: Value, name: string): string | undefined {
  return textIn(settings, name);
}

/** A number below `limits`, such as `relocates_per_datastore`; undefined where there is none. */
export function limitOf(settings: Value, name: string): number | undefined {
  return countOf(memberOf(memberOf(settings, "limits"), name) ?? null);
}

/** The number, when it is a whole one of at least 1. */
export function countOf(value: Value): number | undefined {
  const number = Number(value ?? Number.NaN);
  return Number.isSafeInteger(number) && number >= 1 ? number : undefined;
}
