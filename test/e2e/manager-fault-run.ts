/** A change of host management that meets a fault, and the run after it that finishes. */

import { expect } from "vitest";
import type { FaultDocument } from "../../src/simulators/faults.ts";
import type { LoggedRequest } from "../../src/simulators/kit/request-log.ts";
import { isMutation, type Resources } from "./cloud-place.ts";
import { type ManagerPlace, type ManagerPlaceOptions, nameOf } from "./manager-place.ts";
import { expectSaid } from "./place-parts.ts";
import type { ShownOperation } from "./previewed.ts";

const allow = ["--allow", "power-off,power-cycle,reclaim,destroy,grow"];
export const apply = ["apply", "--auto-approve", ...allow];
/** Simulated time: a test waits a twentieth of it. */
export const timeouts = { request: "15s" };

/** Of the polls of a task. */
export const poll = { on: "POST /sdk", body: "*<RetrievePropertiesEx*<pathSet>info*" };

/** An answer to a poll that says nothing of the task. */
export const blank = {
  ...poll,
  reply: {
    status: 200,
    headers: { "content-type": "text/xml" },
    body:
      '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>' +
      '<RetrievePropertiesExResponse xmlns="urn:vim25"><returnval/>' +
      "</RetrievePropertiesExResponse></e:Body></e:Envelope>",
  },
};

export type Row = {
  readonly name: string;
  readonly rules?: ManagerPlaceOptions["rules"];
  readonly faults: readonly FaultDocument[];
  readonly code: 0 | 1;
  readonly says: readonly (string | RegExp)[];
  readonly silent?: RegExp;
  /** Requests may come that no correct client sends: the fault has misled it. */
  readonly excuse?: true;
  /** Turning on may be tried more than once. */
  readonly closesAgain?: true;
  /** Mutations of the run that finishes, by name; none by default. */
  readonly left?: readonly string[];
};

/** Plans, then applies under the fault, then without it. */
export async function meets(place: ManagerPlace, row: Row, resources: Resources): Promise<void> {
  if (row.excuse) place.excuse("violation");
  place.write(resources);
  const operations = await place.planned(...allow);
  await place.setFaults(...row.faults);
  const sent = await place.logged(async () => {
    const output = await place.run(row.code, "apply", place.file("p.plan"));
    const said = expectSaid(output, row.says);
    if (row.silent !== undefined) expect(said).not.toMatch(row.silent);
  });
  const repeated = row.closesAgain ? "PowerOnVM_Task" : "";
  expect(problemsOf(operations, sent).filter((name) => name !== repeated)).toEqual([]);
  await finishes(place, row);
}

/** Requests that were not shown, and those that had an effect more often than they were shown. */
function problemsOf(operations: readonly ShownOperation[], sent: readonly LoggedRequest[]) {
  const shown = operations.flatMap(({ request }) => (request === undefined ? [] : nameOf(request)));
  const mutations = sent.filter(isMutation);
  const count = (names: readonly string[], name: string): number =>
    names.filter((each) => each === name).length;
  const effects = mutations.filter(({ effect }) => effect).map(nameOf);
  return [
    ...mutations.map(nameOf).filter((name) => !shown.includes(name)),
    ...effects.filter((name) => count(effects, name) > Math.max(1, count(shown, name))),
  ];
}

/** Without the fault, what is left is done, once, and nothing is left after that. */
async function finishes(place: ManagerPlace, { left = [] }: Row): Promise<void> {
  await place.setFaults();
  await place.change({ change_manager_vm: { vm: "web", tools: "running" } });
  await place.rule({
    ...{
      browser: "enabled",
      browser_nonce: "quoted",
      relocate: "applied",
      guest_shutdown: "works",
    },
  });
  const sent = await place.logged(() => place.run(0, ...apply));
  expect(sent.filter(isMutation).map(nameOf)).toEqual(left);
  await place.run(0, "plan", "--detailed-exitcode");
  await place.run(0, "drift");
}
