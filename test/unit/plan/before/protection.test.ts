/** Which recorded objects may not be destroyed, by what the configuration and the record say. */

import { expect, test } from "vitest";
import type { Keeping } from "../../../../src/model/desired.ts";
import { protectionIn } from "../../../../src/plan/before/protection.ts";
import { address } from "../../../helpers/recorded-builder.ts";

const web = address("daemon_vm.web");
const first = address('daemon_vm.web["a"]');

const sound: Keeping = { declared: [web], protected: [], trust: "sound", released: [] };
const empty: Keeping = { declared: [], protected: [], trust: "empty", released: [] };
const flawed: Keeping = { ...sound, trust: "flawed" };

test.each([
  ["sound, protects the resource", { ...sound, protected: [web] }, undefined, "configured"],
  ["sound, protects it anew", { ...sound, protected: [web] }, false, "configured"],
  ["sound, lifted what was recorded", sound, true, undefined],
  ["empty, and recorded", empty, true, "recorded"],
  ["empty, recorded, given up", { ...empty, released: [web] }, true, undefined],
  ["empty, nothing recorded", empty, undefined, undefined],
  ["empty, not protected when applied", empty, false, undefined],
  ["flawed, and recorded", flawed, true, "recorded"],
  ["flawed, read as not protected, but recorded", { ...flawed, released: [web] }, true, "recorded"],
  ["flawed, nothing recorded", flawed, undefined, "unknown"],
  ["flawed, nothing recorded, read", { ...flawed, released: [web] }, undefined, undefined],
  ["flawed, not protected when applied", flawed, false, undefined],
  ["flawed, protected anew", { ...flawed, protected: [web] }, false, "configured"],
] as const)("%s", (_what, keeping: Keeping, preventDestroy, expected) => {
  const judge = protectionIn({ instances: [], keeping });
  const record = { address: first, ...(preventDestroy === undefined ? {} : { preventDestroy }) };
  expect(judge(record)).toBe(expected);
});
