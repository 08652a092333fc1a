/** The mirror of a bucket whose server is switched off, and on again with what it kept. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startSimulators } from "../../src/simulators/start.ts";
import { isLongRun } from "../helpers/amount.ts";
import { expectCode, runInside } from "../helpers/program.ts";
import { bucket, keys } from "../stores/s3-place.ts";
import { startVersity, versitygw } from "../stores/s3-server.ts";

test.runIf(isLongRun && versitygw !== undefined)(
  "what is applied from the mirror is merged when the bucket is there again",
  async () => {
    const server = await startVersity(versitygw ?? "", true);
    const simulators = await startSimulators({ world: { daemon: {} } });
    const folder = mkdtempSync(join(tmpdir(), "vmform-mirror-bucket-"));
    const secret = join(folder, "secret");
    writeFileSync(secret, keys.secretAccessKey);
    const login = `access_key: ${keys.accessKeyId}, secret_key: { file: "${secret}" }`;
    const place = `bucket: ${bucket}, key: web.json, endpoint: "${server.endpoint}", ${login}`;
    const configure = (...ids: readonly string[]): void => {
      const lines = ids.map((id) => `  daemon_vm.${id}: { id: ${id}, power: off }`);
      const text = `
vmform:
  state: { s3: { ${place}, region: us-east-1, use_path_style: true } }
providers: { daemon: { url: "${simulators.origins.daemon}" } }
resources:
${lines.join("\n")}
`;
      writeFileSync(join(folder, "main.vmform.yaml"), text);
    };
    const run = async (code: number, ...words: readonly string[]): Promise<string> => {
      const output = expectCode(code, words, await runInside(folder, words));
      return `${output.stdout} ${output.stderr}`.replaceAll(/\s+/g, " ");
    };
    const vms = (): readonly string[] => simulators.world().daemon.vms.map(({ id }) => id);
    const fromMirror = ["--state-from", "mirror"];
    try {
      configure("base");
      await run(0, "apply", "--auto-approve");
      await server.off();
      configure("base", "second");
      expect(await run(1, "plan")).toContain("There is a mirror of");
      await run(0, "apply", "--auto-approve", "--allow", "mirror", ...fromMirror);
      expect(vms()).toEqual(["base", "second"]);
      await run(0, "plan", "--detailed-exitcode", ...fromMirror);
      await server.on();
      configure("base", "second", "third");
      expect(await run(0, "apply", "--auto-approve")).toContain("were merged into");
      expect(vms()).toEqual(["base", "second", "third"]);
      // The bucket has all of it: nothing is left that only this machine knows.
      rmSync(join(folder, ".vmform"), { recursive: true });
      await run(0, "plan", "--detailed-exitcode");
      expect((await run(0, "runs")).match(/apply/g)).toHaveLength(3);
      const made = simulators.log().filter((one) => one.class === "mutate" && one.effect);
      expect(new Set(made.map(({ body }) => body)).size).toBe(made.length);
    } finally {
      await simulators.stop();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
