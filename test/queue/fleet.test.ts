/** Runs that are submitted, done by workers, watched and approved. */

import { describe, expect, test } from "vitest";
import { isLongRun } from "../helpers/amount.ts";
import { hasPostgres } from "../stores/postgres-server.ts";
import { eachPlace } from "./each-place.ts";

const two = "  daemon_vm.a: { id: a, power: on }\n  daemon_vm.b: { id: b, power: off }";

/** What the commands of `docs/workers.md` do, `workers-page.test.ts` tries always. */
const isTried = isLongRun;

describe.runIf(isTried && hasPostgres())("with a server", () => {
  const its = eachPlace(two);

  const requests = (): readonly string[] =>
    its.place
      .mutations()
      .map(({ method, path, body }) => `${method} ${path} ${body}`)
      .toSorted();

  test("planned, approved, applied, looked for drift and destroyed", async () => {
    its.place.worker("one");
    const planned = await its.place.watch(2, await its.place.submit("plan"));
    expect(planned).toContain("daemon_vm.a");
    expect(planned).toContain("2 to add");
    expect(planned).toContain('+ id:         "a"');
    expect(requests()).toEqual([]);
    const id = await its.place.submit("apply");
    const waiting = await its.place.watch(2, id);
    // Before the command that approves it stands what would be approved.
    expect(waiting.split("To approve it: ").at(-2)).toContain('+ id:         "a"');
    expect(waiting).toContain(`vmform approve ${id}`);
    expect(requests()).toEqual([]);
    await its.place.approve(waiting);
    expect(await its.place.watch(0, id)).toContain("2 added");
    expect(requests()).toHaveLength(3);
    await its.place.run(0, "plan", "--detailed-exitcode");
    expect(await its.place.watch(0, await its.place.submit("drift"))).toContain("No drift");
    const destroy = await its.place.submit("destroy");
    const destroying = await its.place.watch(2, destroy);
    expect(destroying).toContain("2 to destroy");
    expect(requests()).toHaveLength(3);
    const { stdout: told } = await its.place.approve(destroying, "--watch");
    expect(told).toContain("2 destroyed");
    const { stdout } = await its.place.run(0, "runs", "--submitted");
    expect(stdout.split("\n").filter((line) => line.includes(": done"))).toHaveLength(4);
  }, 60_000);
});
