/** What the commands of workers print with `--json`, held against the published schemas. */

import { expect, test } from "vitest";
import { publicJsonProblems } from "../cli/public-json.ts";
import { isLongRun } from "../helpers/amount.ts";
import { hasPostgres, startPostgres } from "../stores/postgres-server.ts";
import { createFleetPlace } from "./fleet-place.ts";

const isTried = isLongRun;

test.runIf(isTried && hasPostgres())(
  "submitted, watched, approved and scheduled, as data",
  async () => {
    const server = await startPostgres();
    const place = await createFleetPlace(server);
    const asData = async (code: number, ...words: readonly string[]): Promise<string> => {
      const { stdout } = await place.run(code, ...words, "--json");
      const command = `vmform ${words.join(" ")} --json`;
      expect(publicJsonProblems({ command, code, stdout, stderr: "" })).toEqual([]);
      expect(stdout).not.toBe("");
      return stdout;
    };
    try {
      place.write("  daemon_vm.a: { id: a, power: off }");
      const submitted = await asData(0, "submit", "apply");
      const id = /"id":\s*"([0-9a-f]+)"/.exec(submitted)?.[1] ?? "";
      const worker = place.worker("one", "0.1.0", "--json");
      const waiting = await asData(2, "runs", "--watch", id);
      const sum = /--plan ([0-9a-f]+)/.exec(waiting)?.[1] ?? "";
      await asData(0, "approve", id, "--plan", sum);
      expect(await asData(0, "runs", "--watch", id)).toContain('"apply_complete"');
      expect(await asData(0, "submit", "drift", "--watch")).toContain('"drift_report"');
      expect(await asData(0, "runs", "--submitted")).toContain('"approvals"');
      const again = /"id":\s*"([0-9a-f]+)"/.exec(await asData(0, "submit", "destroy"))?.[1] ?? "";
      await asData(2, "runs", "--watch", again);
      await asData(1, "cancel", again);
      await asData(0, "decline", again);
      expect(await asData(0, "runs", "--submitted")).toContain('"declined"');
      await asData(0, "runs", "show", id);
      await asData(0, "schedule", "drift", "web", "0 0 * * *", "--zone", "UTC");
      await asData(0, "schedule", "list");
      await asData(0, "schedule", "delete", "web");
      await asData(1, "approve", "ffff", "--plan", "0".repeat(12));
      worker.stop();
      const { code, stdout } = await worker.ended;
      expect(
        publicJsonProblems({ command: "vmform worker --json", code, stdout, stderr: "" }),
      ).toEqual([]);
      const phases = [...stdout.matchAll(/"phase":"(\w+)"/g)].map(([, phase]) => phase);
      expect(phases.slice(0, 3)).toEqual(["started", "taken", "ended"]);
      expect(phases.slice(-2)).toEqual(["stopping", "stopped"]);
      expect(stdout).toContain(`"run":"${id}"`);
    } finally {
      await place.remove();
      await server.remove();
    }
  },
  120_000,
);
