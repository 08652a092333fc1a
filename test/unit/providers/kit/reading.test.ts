/** One pass of reading: what a failure hides, and what is asked only once. */

import { expect, test } from "vitest";
import type { Wanted } from "../../../../src/model/provider/observation.ts";
import type { Address } from "../../../../src/model/value/address.ts";
import { once, onceDone, oncePer } from "../../../../src/providers/kit/once.ts";
import { answerEach, missing, observeEach, silent } from "../../../../src/providers/kit/reading.ts";
import { orElse, refusal } from "../../../../src/providers/kit/refusal.ts";

const lost = () => Promise.reject(refusal("unavailable", "no answer"));
const wanted: readonly Wanted[] = ["a", "b"].map((identity) => ({
  address: `kit_vm.${identity}` as Address,
  type: "kit_vm",
  identity,
  attributes: [],
}));

test("a failure hides its own object, in the order that was asked in", async () => {
  const observers = {
    kit_vm: ({ identity }: Wanted) =>
      identity === "a" ? lost() : Promise.resolve(missing("not listed")),
  };
  expect(await observeEach(wanted, observers)).toEqual([
    { status: "unreadable", rule: "failed", reason: "no answer" },
    { status: "missing", proof: "not listed" },
  ]);
  const [explained] = await observeEach(wanted, observers, ({ message }) => silent(message));
  expect(explained).toMatchObject({ status: "unreadable", endpoint: true, reason: "no answer" });
});

test("our own mistakes are no observation", async () => {
  const mistake = () => Promise.reject(new Error("a mistake"));
  await expect(observeEach(wanted, { kit_vm: mistake })).rejects.toThrow("a mistake");
  await expect(orElse(mistake, () => 1)).rejects.toThrow("a mistake");
  await expect(answerEach(["a"], mistake)).rejects.toThrow("a mistake");
  expect(() => observeEach(wanted, {})).toThrow("kit_vm is read elsewhere");
});

test("facts that are refused say why", async () => {
  const ask = (each: string) => (each === "a" ? lost() : Promise.resolve({ power: each }));
  expect(await answerEach(["a", "on"], ask)).toEqual([
    { status: "failed", reason: "no answer" },
    { status: "read", facts: { power: "on" } },
  ]);
});

test("once is once, whoever asks; where a failure is to be asked about again, it is", async () => {
  let count = 0;
  const work = () => {
    count += 1;
    return count === 1 ? lost() : Promise.resolve(count);
  };
  const [first, again, keyed] = [once(work), onceDone(work), oncePer(work)];
  await expect(first()).rejects.toThrow("no answer");
  await expect(first()).rejects.toThrow("no answer");
  expect(count).toBe(1);
  count = 0;
  await expect(Promise.all([again(), again()])).rejects.toThrow("no answer");
  expect(count).toBe(1);
  expect([await again(), await again()]).toEqual([2, 2]);
  expect([await keyed("a"), await keyed("a"), await keyed("b")]).toEqual([3, 3, 4]);
});
