/** A circle in words, shortened when it is long. */

import type { Place } from "../report.ts";

/** Each step needs the one after it, the last one the first. */
export type CycleStep = {
  readonly name: string;
  /** Where the need is written, as `file:line:col`. */
  readonly where: string;
  readonly place: Place | undefined;
};

const shownMax = 8;

/** The circle begins at its step with the smallest place, however it was searched for. */
export function describeCycle(steps: readonly CycleStep[]): {
  readonly detail: string;
  readonly first: CycleStep | undefined;
} {
  const turned = beginAtFirst(steps);
  const [first] = turned;
  if (first === undefined) return { detail: "", first: undefined };
  if (turned.length === 1) return { detail: `${first.name} needs itself.`, first };
  const half = shownMax / 2;
  const hidden = turned.length - shownMax;
  const shown =
    hidden <= 1
      ? turned.map(stepText)
      : [
          ...turned.slice(0, half).map(stepText),
          `… ${hidden} more …`,
          ...turned.slice(-half).map(stepText),
        ];
  const [begin, ...rest] = [...shown, `${first.name} again`];
  return { detail: `${begin} needs ${rest.join(", which needs ")}.`, first };
}

function stepText({ name, where }: CycleStep): string {
  return where === "" ? name : `${name} (${where})`;
}

function beginAtFirst(steps: readonly CycleStep[]): readonly CycleStep[] {
  let best = 0;
  for (let index = 1; index < steps.length; index += 1) {
    if (isBefore(steps[index], steps[best])) best = index;
  }
  return [...steps.slice(best), ...steps.slice(0, best)];
}

function isBefore(left: CycleStep | undefined, right: CycleStep | undefined): boolean {
  const [a, b] = [left?.place, right?.place];
  if (a === undefined || b === undefined) return a !== undefined;
  return a.file.name === b.file.name ? a.start < b.start : a.file.name < b.file.name;
}
