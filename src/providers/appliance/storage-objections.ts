/** What stands against a change of sizes, judged with what the appliance told of itself. */

import type { LowerRequest, Objection } from "../../model/provider.ts";
import { describeDisks } from "./layout.ts";
import { sizeText } from "./size.ts";
import { noFilesystem, twice, unknownName } from "./storage-check.ts";
import { type Misfit, type Wish, type Wishes, wishesOfChange } from "./wishes.ts";

export function storageObjections(change: LowerRequest): readonly Objection[] {
  if (change.action !== "update") return [];
  const { facts, prior } = change;
  const judged = wishesOfChange(change);
  const growing = judged.wishes.filter(({ standing }) => standing === "grow");
  return [
    ...judged.misfits.map((misfit) => misfitObjection(misfit, judged)),
    ...sharedDisks(judged.wishes),
    ...judged.wishes.flatMap((wish) => (wish.standing === "shrink" ? [shrinks(wish)] : [])),
    ...unverifiable(growing, facts?.release ?? prior.attributes.release),
    ...(growing.length === 0 ? [] : unhealthy(facts?.health ?? null)),
  ];
}

function misfitObjection({ key, problem }: Misfit, { disks }: Wishes): Objection {
  if (problem.kind === "no-filesystem") return { severity: "error", ...noFilesystem(key) };
  const there = `there are ${describeDisks(disks)}.`;
  const hint = problem.meant === undefined ? there : `did you mean ${problem.meant}? ${there}`;
  return { severity: "error", ...unknownName(key, hint) };
}

/** By purpose and by number, or by two partitions that grow together. */
function sharedDisks(wishes: readonly Wish[]): readonly Objection[] {
  const seen = new Map<string, string>();
  return wishes.flatMap(({ key, partitions }): readonly Objection[] => {
    const disk = partitions.join(" ");
    const first = seen.get(disk);
    seen.set(disk, key);
    return first === undefined ? [] : [{ severity: "error", ...twice(first, key) }];
  });
}

function shrinks({ key, gb, appliedGb, shownGb }: Wish): Objection {
  const applied = appliedGb !== undefined && appliedGb > gb;
  const larger = applied
    ? `it was asked to have ${sizeText(appliedGb)}`
    : `its filesystem shows ${sizeText(shownGb ?? 0)} already`;
  return {
    severity: "error",
    code: "APL004",
    summary: "Storage of an appliance never shrinks",
    detail: `${key} is to have ${sizeText(gb)}, and ${larger}.`,
    fix: applied
      ? "Want at least as much, or leave it out; a wrong recorded size goes with vmform state rm."
      : "Want at least the size of the disk under it, or leave it out.",
  };
}

function unverifiable(growing: readonly Wish[], release: unknown): readonly Objection[] {
  const unseen = growing.filter(({ shownGb }) => shownGb === undefined);
  if (unseen.length === 0) return [];
  const names = unseen.map(({ key }) => key).join(", ");
  const told =
    release === "6.5"
      ? "The resize of this release tells nothing but that it has ended."
      : "Only the reply of the resize may tell its size.";
  return [
    {
      severity: "warning",
      code: "APL006",
      summary: "Growth cannot be verified",
      detail: `The appliance does not show the size of ${names}. ${told}`,
      fix: "Look for yourself afterwards: df -h in a shell of the appliance.",
    },
  ];
}

/** The interface says green, yellow, orange, red or gray (wire facts C.3). */
function unhealthy(health: unknown): readonly Objection[] {
  if (typeof health !== "string" || health === "green" || health === "gray") return [];
  return [
    {
      severity: "warning",
      code: "APL007",
      summary: "Storage of the appliance is not healthy",
      detail: `Its storage health is ${health}; a resize may be refused, or be what it needs.`,
    },
  ];
}
