/** Which recorded objects may not be destroyed, by what the configuration and the record say. */

import { expect, test } from "vitest";
import type { Keeping } from "../../../../src/model/plan/desired.ts";
import { protectionIn } from "../../../../src/plan/before/protection.ts";
import { address } from "../../../helpers/recorded-builder.ts";

const web = address("daemon_vm.web");
const first = address('daemon_vm.web["a"]');

const silent: Keeping = { by: "configuration", protected: [], lifted: [] };
const lifting: Keeping = { by: "configuration", protected: [], lifted: [web] };
const protecting: Keeping = { by: "configuration", protected: [web], lifted: [] };
/** By expression: instances differ. */
const other: Keeping = {
  by: "configuration",
  protected: [address('daemon_vm.web["b"]')],
  lifted: [first],
};
const another: Keeping = {
  by: "configuration",
  protected: [first],
  lifted: [address('daemon_vm.web["b"]')],
};
const leaving: Keeping = {
  by: "configuration",
  protected: [address('daemon_vm.web["b"]')],
  lifted: [],
};
const unused: Keeping = { by: "record" };

test.each([
  ["sound, protects the resource", protecting, undefined, "configured"],
  ["sound, protects it anew", protecting, false, "configured"],
  ["sound, lifted what was recorded", lifting, true, undefined],
  ["sound, protects other instances", other, true, undefined],
  ["sound, protects this instance", another, false, "configured"],
  ["sound, protects an instance, and this one left", leaving, true, "left"],
  ["sound, protects an instance, and this one left as it was", leaving, false, undefined],
  ["sound, declares it no longer", silent, true, "left"],
  ["sound, declares it no longer, not protected when applied", silent, false, undefined],
  ["sound, declares it no longer, nothing recorded", silent, undefined, undefined],
  ["sound, nothing recorded", lifting, undefined, undefined],
  ["not used, and recorded", unused, true, "recorded"],
  ["not used, not protected when applied", unused, false, undefined],
  ["not used, nothing recorded", unused, undefined, "unknown"],
] as const)("%s", (_what, keeping: Keeping, preventDestroy, expected) => {
  const judge = protectionIn({ instances: [], removed: [], keeping });
  const record = { address: first, ...(preventDestroy === undefined ? {} : { preventDestroy }) };
  expect(judge(record)).toBe(expected);
  const removed = [{ from: web, destroy: true }];
  const givenUp = protectionIn({ instances: [], removed, keeping })(record);
  expect(givenUp).toBe(expected === "left" ? undefined : expected);
});
