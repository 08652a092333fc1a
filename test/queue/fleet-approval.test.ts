/** What was approved is done, and nothing beyond it, whatever happens in between. */

import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openFleet } from "../../src/queue/fleet.ts";
import { targetOf } from "../../src/store/postgres/target.ts";
import { powerVm } from "../e2e/simulator.ts";
import { isLongRun, onlyInLongRun } from "../helpers/amount.ts";
import { hasPostgres } from "../stores/postgres-server.ts";
import { eachPlace } from "./each-place.ts";

const two = "  daemon_vm.a: { id: a, power: on }\n  daemon_vm.b: { id: b, power: off }";

/** All that a run has said is shown: the plan that waits stands last. */
function lastShown(text: string): string {
  return text.slice(text.lastIndexOf("vmform approve "));
}

describe.runIf(hasPostgres())("with a server", () => {
  const its = eachPlace(two);

  const requests = (): readonly string[] =>
    its.place.mutations().map(({ method, path }) => `${method} ${path}`);

  test.runIf(isLongRun)(
    "a plan that others have done meanwhile is done; what is more waits again",
    async () => {
      its.place.worker("one");
      const id = await its.place.submit("apply");
      const shown = await its.place.watch(2, id);
      // Somebody applies it by hand.
      await its.place.run(0, "apply", "--auto-approve");
      const done = requests().length;
      await its.place.approve(shown);
      expect(await its.place.watch(0, id)).toContain("0 added");
      expect(requests()).toHaveLength(done);
      its.place.write(two.replace("power: on", "power: off"));
      const second = await its.place.submit("apply");
      const first = await its.place.watch(2, second);
      expect(first).toContain("--allow power-off");
      await its.place.simulators.change(powerVm("b", "on"));
      await its.place.run(0, "apply", "--refresh-only", "--auto-approve");
      // The yes was to one VM.
      await its.place.approve(first, "--allow", "power-off");
      const more = await its.place.watch(2, second);
      expect(more).toContain("CLI060");
      expect(more).toContain("daemon_vm.b");
      expect(requests()).toHaveLength(done);
      // A yes to the plan that was shown first is none to the one that waits by now.
      const old = /--plan (\S+)/.exec(first)?.[1] ?? "";
      const refused = await its.place.run(
        1,
        "approve",
        second,
        "--plan",
        old,
        "--allow",
        "power-off",
      );
      expect(refused.stderr).toContain("another plan than the one that was shown");
      const unnamed = await its.place.run(1, "approve", second, "--allow", "power-off");
      expect(unnamed.stderr).toContain("has to be said where nobody can be asked");
      expect(await its.place.watch(2, second)).toContain("daemon_vm.b");
      expect(requests()).toHaveLength(done);
      await its.place.approve(lastShown(more), "--allow", "power-off");
      expect(await its.place.watch(0, second)).toContain("2 changed");
      const over = await its.place.run(1, "approve", second, "--plan", old);
      expect(over.stderr).toContain("does not wait for approval: done");
    },
    60_000,
  );

  const told = (): string => join(its.place.folder, "..", "told");
  const messages = () =>
    readFileSync(told(), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as { readonly [name: string]: unknown });
  const writeWithHooks = (resources: string): void => {
    its.place.write(resources);
    const path = join(its.place.folder, "main.vmform.yaml");
    const hook = `[{ command: [sh, -c, 'cat >> "$0"; echo >> "$0"', "${told()}"] }]`;
    const on = `on: { needs_approval: ${hook}, failed: ${hook}, applied: ${hook} }`;
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replace("vmform: {", `vmform: { ${on},`));
  };

  test("a plan that waits is shown to who watches, and hooks are told of it once", async () => {
    writeWithHooks(two);
    its.place.worker("one");
    const id = await its.place.submit("apply");
    const shown = await its.place.watch(2, id);
    expect(shown).toContain('+ id:         "a"');
    const [, approving = ""] = shown.split("To approve it: ");
    expect(messages()).toEqual([
      expect.objectContaining({
        ...{ event: "needs_approval", command: "apply", state: "web", submission: id },
        summary: expect.stringContaining(approving.split("\n")[0] ?? "") as string,
      }),
    ]);
  }, 60_000);

  test("of a plan that fails hooks are told, and of no approval", onlyInLongRun, async () => {
    its.place.worker("one");
    writeWithHooks(`${two}\n  daemon_vm.c: { id: c, parent_id: nowhere }`);
    const failed = await its.place.watch(1, await its.place.submit("apply"));
    expect(failed).toContain("daemon_vm.c: parent_id names the daemon_vm nowhere");
    await its.place.watch(2, await its.place.submit("plan", "--target", "daemon_vm.a"));
    writeWithHooks(two);
    await its.place.watch(0, await its.place.submit("apply", "--auto-approve"));
    const events = messages().map(({ event, command }) => [event, command]);
    expect(events).toEqual([
      ["failed", "apply"],
      ["applied", "apply"],
    ]);
  });

  test("a plan that came between the look and the yes is not approved", onlyInLongRun, async () => {
    its.place.worker("one");
    const id = await its.place.submit("apply");
    await its.place.watch(2, id);
    const fleet = await openFleet({
      access: {
        target: targetOf({ url: its.place.url }, {}, "nobody"),
        ...{ password: undefined, tls: {}, applicationName: "vmform test" },
      },
      ...{ location: "a database", schema: "vmform", supervises: false, newId: randomUUID },
      onError: () => undefined,
    });
    try {
      const shown = await fleet.waitingPlan(id);
      const database = new URL(its.place.url).pathname.slice(1);
      await its.server.admin(database, "update vmform.submission set plan = plan || ' '");
      const yes = { who: "ann", host: "desk", allowed: [] };
      expect(await fleet.approve(id, yes, shown?.sum ?? "")).toBe(false);
      expect(await fleet.find(id)).toMatchObject({ status: "needs_approval", approvals: [] });
      await its.server.admin(database, "update vmform.submission set plan = rtrim(plan, ' ')");
      expect(await fleet.approve(id, yes, shown?.sum ?? "")).toBe(true);
      await its.place.watch(0, id);
      expect(await fleet.waitingPlan(id)).toBeUndefined();
    } finally {
      await fleet.close();
    }
  });

  test("a configuration that was changed in the database is not run", onlyInLongRun, async () => {
    const id = await its.place.submit("apply", "--auto-approve");
    const database = new URL(its.place.url).pathname.slice(1);
    await its.server.admin(database, "update vmform.bundle set bytes = bytes || '\\x00'");
    its.place.worker("one");
    expect(await its.place.watch(3, id)).toContain("was changed");
    expect(requests()).toEqual([]);
  });

  test.runIf(isLongRun)(
    "consent that was not given is asked for once more",
    async () => {
      its.place.worker("one");
      await its.place.watch(0, await its.place.submit("apply", "--auto-approve"));
      its.place.write(two.replace("power: on", "power: off"));
      const id = await its.place.submit("apply", "--auto-approve");
      const shown = await its.place.watch(2, id);
      expect(shown).toContain("--allow power-off");
      await its.place.approve(shown);
      const again = await its.place.watch(2, id);
      expect(again).toContain("--allow power-off");
      await its.place.approve(lastShown(again), "--allow", "power-off");
      expect(await its.place.watch(0, id)).toContain("1 changed");
    },
    60_000,
  );

  test.runIf(isLongRun)(
    "a worker of another version leaves it to one of its own",
    async () => {
      its.place.worker("old", "0.0.9");
      const id = await its.place.submit("plan");
      const said = (): Promise<string> =>
        its.place.run(0, "runs", "--submitted").then(({ stdout }) => stdout);
      await expect.poll(said, { timeout: 20_000 }).toContain("waits for a worker of vmform 0.1.0");
      its.place.worker("new");
      expect(await its.place.watch(2, id)).toContain("new has taken plan");
    },
    60_000,
  );
});
