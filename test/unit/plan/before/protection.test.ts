/** Which recorded objects may not be destroyed, by what the configuration and the record say. */

import { expect, test } from "vitest";
import type { Keeping } from "../../../../src/model/plan/desired.ts";
import { protectionIn } from "../../../../src/plan/before/protection.ts";
import { address } from "../../../helpers/recorded-builder.ts";

const web = address("daemon_vm.web");
const first = address('daemon_vm.web["a"]');

const lifting: Keeping = { by: "configuration", protected: [] };
const protecting: Keeping = { by: "configuration", protected: [web] };
const unused: Keeping = { by: "record" };

test.each([
  ["sound, protects the resource", protecting, undefined, "configured"],
  ["sound, protects it anew", protecting, false, "configured"],
  ["sound, lifted what was recorded", lifting, true, undefined],
  ["sound, nothing recorded", lifting, undefined, undefined],
  ["not used, and recorded", unused, true, "recorded"],
  ["not used, not protected when applied", unused, false, undefined],
  ["not used, nothing recorded", unused, undefined, "unknown"],
] as const)("%s", (_what, keeping: Keeping, preventDestroy, expected) => {
  const judge = protectionIn({ instances: [], keeping });
  const record = { address: first, ...(preventDestroy === undefined ? {} : { preventDestroy }) };
  expect(judge(record)).toBe(expected);
});
