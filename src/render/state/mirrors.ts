/** The mirrors of a folder, for people and for programs. */

import { plural } from "../../lib/text.ts";
import { agoText } from "../../lib/time/ago-text.ts";
import { clockText } from "../../lib/time/clock-text.ts";
import type { ShelvedMirror } from "../../model/recorded/mirror.ts";
import type { ValueMap } from "../../model/value/value.ts";

/** Empty when there are none. */
export function mirrorsText(mirrors: readonly ShelvedMirror[], nowMs: number): string {
  return mirrors.map((mirror) => mirrorText(mirror, nowMs)).join("\n");
}

function mirrorText({ name, problem, held, fork }: ShelvedMirror, nowMs: number): string {
  if (held === undefined) return `${name}: cannot be read: ${problem ?? ""}`;
  const { of, asOfMs, position, objects } = held;
  const when = `as of ${agoText(nowMs - asOfMs)} (${clockText(asOfMs)})`;
  const lines = [`${name}: ${of}`, `  ${when}, position ${position}, ${plural(objects, "object")}`];
  if (fork !== undefined) {
    const { entries, sinceMs, who, host } = fork;
    const what = entries === 1 ? "1 entry" : `${entries} entries`;
    lines.push(`  not merged: ${what} by ${who} on ${host} since ${clockText(sinceMs)}`);
  }
  return lines.join("\n");
}

export function mirrorsJson(mirrors: readonly ShelvedMirror[]): ValueMap {
  return { mirrors: mirrors.map(mirrorJson) };
}

function mirrorJson({ name, problem, held, fork }: ShelvedMirror): ValueMap {
  if (held === undefined) return { name, problem: problem ?? "" };
  const { of, asOfMs, position, objects } = held;
  const unmerged = fork && {
    unmerged: {
      entries: fork.entries,
      since: new Date(fork.sinceMs).toISOString(),
      who: fork.who,
      host: fork.host,
    },
  };
  return { name, of, as_of: new Date(asOfMs).toISOString(), position, objects, ...unmerged };
}
