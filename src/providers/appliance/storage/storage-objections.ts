/** What stands against a change of sizes, judged with what the appliance told of itself. */

import { clockText } from "../../../lib/time/clock-text.ts";
import type { LowerRequest, Objection } from "../../../model/provider/provider.ts";
import { nowhere } from "../../../model/said/problem.ts";
import { problem, warning } from "../codes.ts";
import { describeDisks } from "./layout.ts";
import { sizesOf, sizeText } from "./size.ts";
import { noFilesystem, twice, unknownName } from "./storage-check.ts";
import { readAttributes, readFacts, type StorageFacts } from "./storage-facts.ts";
import { growingOf, type Misfit, type Wish, type Wishes, wishesOfChange } from "./wishes.ts";

/** How long a resize that was not answered is taken to run, unless its effect shows. */
const mayRunMs = 2 * 3_600_000;

export function storageObjections(change: LowerRequest): readonly Objection[] {
  if (change.action !== "update") return [];
  const facts = change.facts && readFacts(change.facts);
  const judged = wishesOfChange(change);
  const growing = change.changed.includes("sizes_gb") ? growingOf(judged.wishes) : [];
  return [
    ...judged.misfits.map((misfit) => misfitObjection(misfit, judged)),
    ...sharedDisks(judged.wishes),
    ...judged.wishes.flatMap((wish) => (wish.standing === "shrink" ? [shrinks(wish)] : [])),
    ...(growing.length === 0 ? [] : [...unanswered(change, facts), ...unlisted(facts)]),
    ...unverifiable(growing, change, facts),
    ...unhealthy(facts?.health ?? null),
  ];
}

type Update = Extract<LowerRequest, { action: "update" }>;
type Facts = StorageFacts | undefined;

/**
 * A resize that nobody answered may still run, and a second one is not sent into it. It is known to
 * have ended when what it was sent for is there, and taken to have ended after some time.
 */
function unanswered({ prior }: Update, facts: Facts): readonly Objection[] {
  const { unanswered: sent } = readAttributes(prior.attributes);
  const nowMs = facts?.now_ms ?? null;
  if (sent === null || nowMs === null) return [];
  const sentMs = Date.parse(sent.at);
  const untilMs = sentMs + mayRunMs;
  if (!(nowMs < untilMs)) return [];
  const shown = sizesOf(facts?.filesystems_gb);
  const goals = Object.entries(sent.filesystems_gb);
  if (goals.every(([name, gb]) => (shown.get(name) ?? 0) >= gb)) return [];
  return [
    problem(nowhere, "APL011", {
      detail:
        `A resize was sent at ${clockText(sentMs, nowMs)} and not answered, and what it was ` +
        "sent for is not there yet. " +
        `Nothing is sent before it shows, or before ${clockText(untilMs, nowMs)}.`,
      fix:
        "Look at the appliance (df -h). When it is known to have ended, forget the record and " +
        "apply again: vmform state rm; nothing is lost by it.",
    }),
  ];
}

function unlisted(facts: Facts): readonly Objection[] {
  const { disks = null, health = null } = facts?.untold ?? {};
  return [
    ...(disks === null
      ? []
      : [
          warning(nowhere, "APL009", {
            detail:
              `What is on which disk is taken from what was read before, or from the layout of ` +
              `release 6.5: ${disks}.`,
          }),
        ]),
    ...(health === null
      ? []
      : [
          warning(nowhere, "APL010", {
            detail: `A resize may be refused where the storage is in trouble: ${health}.`,
          }),
        ]),
  ];
}

function misfitObjection({ key, problem: misfit }: Misfit, { disks }: Wishes): Objection {
  if (misfit.kind === "no-filesystem") return noFilesystem(key);
  const there = `there are ${describeDisks(disks)}.`;
  const hint = misfit.meant === undefined ? there : `did you mean ${misfit.meant}? ${there}`;
  return unknownName(key, hint);
}

/** By purpose and by number, or by two partitions that grow together. */
function sharedDisks(wishes: readonly Wish[]): readonly Objection[] {
  const seen = new Map<string, string>();
  return wishes.flatMap(({ key, partitions }): readonly Objection[] => {
    const disk = partitions.join(" ");
    const first = seen.get(disk);
    seen.set(disk, key);
    return first === undefined ? [] : [twice(first, key)];
  });
}

function shrinks({ key, gb, appliedGb, shownGb }: Wish): Objection {
  const applied = appliedGb !== undefined && appliedGb > gb;
  const larger = applied
    ? `it was asked to have ${sizeText(appliedGb)}`
    : `its filesystem shows ${sizeText(shownGb ?? 0)} already`;
  return problem(nowhere, "APL004", {
    detail: `${key} is to have ${sizeText(gb)}, and ${larger}.`,
    fix: applied
      ? "Want at least as much, or leave it out; a wrong recorded size goes with vmform state rm."
      : "Want at least the size of the disk under it, or leave it out.",
  });
}

function unverifiable(
  growing: readonly Wish[],
  { prior }: Update,
  facts: Facts,
): readonly Objection[] {
  const unseen = growing.filter(({ shownGb }) => shownGb === undefined);
  if (unseen.length === 0) return [];
  const names = unseen.map(({ key }) => key).join(", ");
  const release = facts?.release ?? prior.attributes.release;
  const why = facts?.untold?.filesystems_gb ?? null;
  const because = why === null ? "" : ` (${why})`;
  const told =
    release === "6.5"
      ? "The resize of this release tells nothing but that it has ended."
      : "Only the reply of the resize may tell its size.";
  return [
    warning(nowhere, "APL006", {
      detail: `The appliance does not show the size of ${names}${because}. ${told}`,
      fix: "Look for yourself afterwards: df -h in a shell of the appliance.",
    }),
  ];
}

/** The interface says green, yellow, orange, red or gray (wire facts C.3). */
export function unhealthy(health: string | null): readonly Objection[] {
  if (health === null || health === "green" || health === "gray") return [];
  return [
    warning(nowhere, "APL007", {
      detail: `Its storage health is ${health}; a resize may be refused, or be what it needs.`,
    }),
  ];
}
