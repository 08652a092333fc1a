/** Space on the datastores between which a plan moves disks, before and afterwards. */

import type { Plan } from "../../../model/plan/plan.ts";
import { movesOfSpace, type PlannedMove } from "../../../model/plan/space.ts";
import { type StyledLine, textLine } from "../../text/styled-line.ts";

type Space = { readonly freeMb: number | undefined; comesMb: number; leavesMb: number };

/** Datastores that have a line; the rest is counted. */
const linesMax = 20;

export function spaceSection(plan: Plan): StyledLine[] {
  const spaces = [...spacesOf(movesOfSpace(plan))];
  if (spaces.length === 0) return [];
  const more = spaces.length - linesMax;
  return [
    textLine("Space on datastores, by what disks may take at most:", undefined, 2),
    ...spaces
      .slice(0, linesMax)
      .map(([name, space]) => textLine(`  ${name}: ${spaceText(space)}`, undefined, 6)),
    ...(more > 0 ? [textLine(`  and ${more} more`)] : []),
  ];
}

/** By provider and name, in the order in which they are named. */
function spacesOf(moves: readonly PlannedMove[]): ReadonlyMap<string, Space> {
  const spaces = new Map<string, Space>();
  const spaceOf = (key: string, freeMb: number | undefined): Space => {
    const known = spaces.get(key) ?? { freeMb, comesMb: 0, leavesMb: 0 };
    spaces.set(key, known);
    return known;
  };
  for (const { provider, to, toFreeMb, from, fromFreeMb, ownMb } of moves) {
    spaceOf(`${provider} ${to}`, toFreeMb).comesMb += ownMb;
    if (from !== undefined) spaceOf(`${provider} ${from}`, fromFreeMb).leavesMb += ownMb;
  }
  return spaces;
}

function spaceText({ freeMb, comesMb, leavesMb }: Space): string {
  const moved = [
    ...(comesMb > 0 ? [`${sizeText(comesMb)} come`] : []),
    ...(leavesMb > 0 ? [`${sizeText(leavesMb)} leave`] : []),
  ].join(", ");
  if (freeMb === undefined) return `${moved}; how much is free is not told`;
  const afterMb = freeMb - comesMb + leavesMb;
  const after = afterMb < 0 ? `${sizeText(-afterMb)} too little` : `${sizeText(afterMb)} free`;
  return `${sizeText(freeMb)} free, ${moved}: ${after} afterwards`;
}

/** Gigabytes of 1024 MB, with one decimal where there are few. */
function sizeText(mb: number): string {
  const gb = mb / 1024;
  return `${gb < 10 ? Math.round(gb * 10) / 10 : Math.round(gb)} GB`;
}

/** One sentence about one object; undefined where nothing is told of it. */
export function spaceRule(plan: Plan, address: string): string | undefined {
  const move = movesOfSpace(plan).find((one) => one.address === address);
  if (move === undefined) return undefined;
  const { to, toFreeMb, from = "", fromFreeMb, ownMb } = move;
  const source = fromFreeMb === undefined ? "" : `, ${sizeText(fromFreeMb)} on ${from}`;
  const free = `${sizeText(toFreeMb)} are free on ${to}`;
  return `its disks take up to ${sizeText(ownMb)}: ${free}${source}`;
}
