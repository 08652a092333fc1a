/** Runs that end because somebody says so: a plan that is declined, a run that is taken back. */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Board, Person } from "../../src/model/board/board.ts";
import { isLongRun, onlyInLongRun } from "../helpers/amount.ts";
import { hasPostgres } from "../stores/postgres-server.ts";
import { boardOf, eachPlace } from "./each-place.ts";

const ada: Person = { who: "ada", role: "operate", via: "oidc" };
const bob: Person = { who: "bob", role: "operate", via: "oidc" };

describe.runIf(hasPostgres())("with a server", () => {
  const its = eachPlace("  daemon_vm.a: { id: a, power: on }");
  let board: Board;
  beforeEach(async () => {
    ({ board } = await boardOf(its.place.url));
  });
  afterEach(() => board.close());

  const planOf = async (id: string): Promise<string> => (await board.run(id))?.planId ?? "none";

  test(
    "a run that nobody has taken is taken back, and no worker does it",
    onlyInLongRun,
    async () => {
      const [first, second] = [await its.place.submit("apply"), await its.place.submit("plan")];
      expect((await its.place.run(0, "cancel", first)).stdout).toContain(
        "No worker takes it any more.",
      );
      expect(await board.run(second)).toMatchObject({ mayCancel: true, mayDecline: false });
      expect(await board.cancel(second, "of another plan", ada)).toMatchObject({ done: false });
      // Two people at once: one of them has done it.
      const both = await Promise.all([ada, bob].map((one) => board.cancel(second, "", one)));
      expect(both.filter(({ done }) => done)).toHaveLength(1);
      expect((await board.audit({ offset: 0, limit: 9 })).rows).toMatchObject([
        { action: "cancel", subject: second },
      ]);
      its.place.worker("one");
      const third = await its.place.submit("plan");
      await its.place.watch(2, third);
      expect(await its.place.watch(1, first)).toContain("cancelled. Cancelled by ann@desk.");
      expect(await its.place.watch(1, second)).toMatch(
        /cancelled\. Cancelled by (ada|bob)@web, by oidc\./,
      );
      expect((await its.place.run(1, "cancel", first)).stderr).toContain(
        "has ended by now: cancelled",
      );
      expect((await board.run(first))?.status).toBe("cancelled");
      expect((await its.place.run(0, "runs", "--submitted")).stdout).toContain(
        "apply of web: cancelled",
      );
      expect(its.place.mutations()).toHaveLength(0);
    },
  );

  test.runIf(isLongRun)(
    "a plan that is declined is not done, and no other one is by that",
    async () => {
      its.place.worker("one");
      const [first, second] = [await its.place.submit("apply"), await its.place.submit("apply")];
      const shown = await its.place.watch(2, first);
      await its.place.watch(2, second);
      const [, sum = ""] = /--plan (\S+)/.exec(shown) ?? [];
      const other = "0".repeat(12);
      expect((await its.place.run(1, "decline", first, "--plan", other)).stderr).toContain(
        "another plan than the one that was shown. Nothing was declined.",
      );
      expect((await its.place.run(1, "cancel", first)).stderr).toContain(`vmform decline ${first}`);
      expect(await board.decline(second, other, ada)).toMatchObject({
        done: false,
        why: "It was planned anew since the page was shown.",
      });
      expect((await its.place.run(0, "decline", first, "--plan", sum)).stdout).toContain(
        "Declined.",
      );
      const planId = await planOf(second);
      const both = await Promise.all([
        board.decline(second, planId, ada),
        board.approve(second, { planId, kinds: [] }, bob),
      ]);
      expect(both.filter(({ done }) => done)).toHaveLength(1);
      const [declined] = both;
      if (declined?.done ?? false) {
        expect(await its.place.watch(1, second)).toContain(
          "declined. Declined by ada@web, by oidc.",
        );
      } else await its.place.watch(0, second);
      expect(await its.place.watch(1, first)).toContain("declined. Declined by ann@desk.");
      expect((await its.place.run(1, "decline", first)).stderr).toContain(
        "does not wait for approval",
      );
      expect((await its.place.run(1, "approve", first, "--plan", sum)).stderr).toContain(
        "declined",
      );
      expect((await board.audit({ offset: 0, limit: 9 })).rows).toHaveLength(1);
    },
  );
});
