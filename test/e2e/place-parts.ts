/** What every place of a test does with its simulators, and with what a program said. */

import { expect } from "vitest";
import type { FaultDocument } from "../../src/simulators/faults.ts";
import type { LoggedRequest } from "../../src/simulators/kit/request-log.ts";
import type { RunningSimulators } from "../../src/simulators/start.ts";
import type { Output } from "../helpers/program.ts";

/** Replaces the fault script of all simulators, by way of the one at `origin`. */
export async function setFaultsAt(origin: string, faults: readonly FaultDocument[]): Promise<void> {
  const url = `${origin}/_simulator/faults`;
  const reply = await fetch(url, { method: "POST", body: JSON.stringify({ faults }) });
  if (!reply.ok) throw new Error(await reply.text());
}

/** What was logged during the work. */
export async function loggedDuring(
  simulators: RunningSimulators,
  work: () => Promise<unknown>,
): Promise<readonly LoggedRequest[]> {
  const before = simulators.log().length;
  await work();
  return simulators.log().slice(before);
}

/** Every one of the words is there, and no sentence ends twice. Gives all that was said. */
export function expectSaid(
  { stdout, stderr }: Pick<Output, "stdout" | "stderr">,
  says: readonly (string | RegExp)[],
): string {
  const said = `${stdout}\n${stderr}`;
  for (const words of says) {
    if (typeof words === "string") expect(said).toContain(words);
    else expect(said).toMatch(words);
  }
  expect(said).not.toContain(".;");
  return said;
}
