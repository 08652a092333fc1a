/**
 * Finds every move that the configuration needs: as long as one is found it is made in memory,
 * since content is known by its container, and shows only where that stands right.
 */

import type { Observation } from "../model/provider/observation.ts";
import type { NoteEntry } from "../model/recorded/journal.ts";
import type { Address, Move } from "../model/value/address.ts";
import { foldAll } from "../state/fold.ts";
import { objectKeyOf } from "../state/working.ts";
import { adoptFound } from "./before/adopt.ts";
import { asPermutation, missingMovedProblems } from "./before/missing-moved.ts";
import { type Classification, classify } from "./classify/classify.ts";
import type { PlanInput } from "./input.ts";

/**
 * The plan again without what is recorded at another address than the one that wants it: neither
 * address is touched, whatever the consent, until the configuration says where each belongs.
 */
export function withoutDisplaced(given: PlanInput, first: Classification): PlanInput {
  const moves = neededMoves(given, first);
  return {
    ...given,
    withheld: new Set([...given.withheld, ...moves.flatMap(({ from, to }) => [from, to])]),
    diagnostics: [...given.diagnostics, ...missingMovedProblems(given, moves, first.selection)],
  };
}

function neededMoves(given: PlanInput, first: Classification): readonly Move[] {
  const origin = new Map<Address, Address>();
  let input = given;
  let { displaced } = first;
  while (displaced.length > 0) {
    const moves = asPermutation(displaced, input.recorded);
    const before = new Map(origin);
    for (const { from } of moves) origin.delete(from);
    for (const { from, to } of moves) origin.set(to, before.get(from) ?? from);
    input = moved(input, moves);
    const seen = new Set(moves.map(({ to }) => to));
    // What has been moved once means what is there; another round is about other addresses.
    displaced = classify(adoptFound(input)).displaced.filter(({ to }) => !seen.has(to));
    if (origin.size > given.recorded.objects.length) break;
  }
  return [...origin].flatMap(([to, from]) => (to === from ? [] : [{ from, to }]));
}

/** As if the entries had been there: observations follow their objects. */
function moved(input: PlanInput, moves: readonly Move[]): PlanInput {
  const note: NoteEntry = { kind: "note", note: { what: "move", moves } };
  const target = new Map(moves.map(({ from, to }) => [from, to]));
  const observations = new Map<string, Observation>();
  for (const { address, objectKey } of input.recorded.objects) {
    const observation = input.observations.get(objectKeyOf(address, objectKey));
    const to = target.get(address) ?? address;
    if (observation !== undefined) observations.set(objectKeyOf(to, objectKey), observation);
  }
  const recorded = foldAll(input.recorded, [note]);
  return { ...input, observations, recorded: { ...recorded, journal: input.recorded.journal } };
}
