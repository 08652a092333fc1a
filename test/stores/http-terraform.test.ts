/** The real Terraform as the other client of the same server. */

import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { initialState } from "../../src/state/initial.ts";
import { entry, problemOf } from "../unit/store/local/fixtures.ts";
import { openHttpStore, placeAt } from "./http-place.ts";
import { type RunningStateServer, startStateServer } from "./state-server.ts";

function findTerraform(): string | undefined {
  try {
    execFileSync("terraform", ["version"], { stdio: "ignore" });
    return "terraform";
  } catch {
    return undefined;
  }
}

const terraform = findTerraform();
if (terraform === undefined) {
  console.warn("!! terraform is not on the PATH, and what is tested with it is skipped");
}

const initial = initialState("6f1d6a51-0f3c-4d8e-9b7a-3d1f0c5e2a10", "journal-1", false);
const configuration = `
terraform {
  backend "http" {}
}
resource "terraform_data" "a" {
  input = "x"
  provisioner "local-exec" { command = "while [ ! -e go ]; do sleep 0.1; done" }
}
`;

let server: RunningStateServer;
let folder: string;

describe.skipIf(terraform === undefined).each(["gitlab", "gitea", "plain"] as const)(
  "beside Terraform, on the rules of %s",
  (rules) => {
    beforeEach(async () => {
      server = await startStateServer(rules);
      folder = mkdtempSync(join(tmpdir(), "vmform-terraform-"));
      writeFileSync(join(folder, "main.tf"), configuration);
    });
    afterEach(async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    test("its lock keeps us out by name, and its state is left as it is", async () => {
      expect((await run("init")).code).toBe(0);
      const applying = run("apply", "-auto-approve");
      await expect.poll(() => server.lock(), { timeout: 60_000 }).toBeDefined();
      const { store } = openHttpStore(placeAt(server), "host-a");
      const refused = await problemOf(store.lock("apply", 0));
      expect(refused.code).toBe("STO009");
      const { ID, Who } = server.lock() ?? {};
      expect(refused.message).toContain(String(Who).split("@")[0]);
      expect(refused.message).toContain(String(ID));
      writeFileSync(join(folder, "go"), "");
      expect((await applying).code).toBe(0);
      const before = server.versions.map(({ text }) => text);
      expect((await problemOf(store.read())).code).toBe("STO024");
      expect((await problemOf(store.lock("apply", 0))).code).toBe("STO024");
      expect(server.lock()).toBeUndefined();
      expect(server.versions.map(({ text }) => text)).toEqual(before);
      await store.close();
    });

    test("our lock keeps it out by name, and our state is left as it is", async () => {
      expect((await run("init")).code).toBe(0);
      writeFileSync(join(folder, "go"), "");
      const { store } = openHttpStore(placeAt(server), "host-a");
      const held = await store.lock("apply", 0);
      await store.compact(initial, held);
      await store.append([entry(1)], held);
      const kept = await run("apply", "-auto-approve");
      expect(kept.code).not.toBe(0);
      expect(kept.output).toContain("vmform:apply:ann@host-a:");
      await store.unlock(held);
      const before = server.versions.map(({ text }) => text);
      const refused = await run("apply", "-auto-approve");
      expect(refused.code).not.toBe(0);
      expect(refused.output).toContain('mode "kept by vmform"');
      expect(server.versions.map(({ text }) => text)).toEqual(before);
      expect((await store.read()).journal).toEqual([entry(1)]);
      await store.close();
    });
  },
);

function run(
  command: string,
  ...words: readonly string[]
): Promise<{ code: unknown; output: string }> {
  const { address, lockAddress, lockMethod, unlockMethod } = server;
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: folder,
    CHECKPOINT_DISABLE: "1",
    TF_HTTP_ADDRESS: address,
    TF_HTTP_LOCK_ADDRESS: lockAddress,
    TF_HTTP_UNLOCK_ADDRESS: lockAddress,
    TF_HTTP_LOCK_METHOD: lockMethod,
    TF_HTTP_UNLOCK_METHOD: unlockMethod,
    TF_HTTP_RETRY_MAX: "0",
  };
  const all = [command, "-no-color", "-input=false", ...words];
  return new Promise((resolve) => {
    execFile("terraform", all, { cwd: folder, env }, (error, stdout, stderr) => {
      const output = `${stdout}${stderr}`.replaceAll(/[│╷╵]/g, "").replaceAll(/\s+/g, " ");
      resolve({ code: error === null ? 0 : (error.code ?? "killed"), output });
    });
  });
}
