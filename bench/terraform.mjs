/**
 * The terraform side: as many `terraform_data` resources, which need no provider download. No
 * setting of this machine is read, and nothing is asked of the network.
 */

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { measure } from "./measure.mjs";

/** Beyond this, its apply is left out: it writes the whole state after each resource. */
export const applyCountMax = 1000;

/** @returns {string | undefined} version of the terraform on the PATH */
export function terraformVersion() {
  const child = spawnSync("terraform", ["version", "-json"], {
    encoding: "utf8",
    env: { ...process.env, CHECKPOINT_DISABLE: "1" },
  });
  if (child.error !== undefined || child.status !== 0) return undefined;
  // A warning about a missing configuration file of the user may stand before the JSON.
  return /"terraform_version":\s*"([^"]+)"/.exec(child.stdout)?.[1];
}

/**
 * Variables with which it reads no setting of this machine.
 *
 * @param {string} parent a folder that exists
 */
export function quietTerraform(parent) {
  const cliConfig = join(parent, "terraform.rc");
  writeFileSync(cliConfig, "");
  return {
    CHECKPOINT_DISABLE: "1",
    TF_IN_AUTOMATION: "1",
    TF_CLI_CONFIG_FILE: cliConfig,
    TF_CLI_ARGS: "",
    TF_LOG: "",
  };
}

/**
 * @param {string} parent a folder that exists
 * @param {number} count instances
 */
export function prepareTerraform(parent, count) {
  const cwd = join(parent, `terraform-${count}`);
  mkdirSync(cwd);
  const env = quietTerraform(parent);
  const run = (/** @type {string[]} */ ...args) =>
    measure(["terraform", ...args, "-input=false", "-no-color"], { cwd, env });
  const apply = () => run("apply", "-auto-approve");

  writeConfiguration(cwd, 1);
  run("init");
  if (count > applyCountMax) {
    apply();
    multiplyState(join(cwd, "terraform.tfstate"), count);
  }
  writeConfiguration(cwd, count);
  return {
    /** Undefined where it would take too long. */
    apply: count > applyCountMax ? undefined : apply,
    /** Exit code 0 under `-detailed-exitcode` is the proof that nothing is to be done. */
    planWithoutChanges: () => run("plan", "-detailed-exitcode"),
  };
}

/**
 * @param {string} cwd
 * @param {number} count
 */
function writeConfiguration(cwd, count) {
  const blocks = [];
  for (let index = 0; index < count; index += 1) {
    const input = `{ name = "r${index}", value = "v${index}" }`;
    blocks.push(`resource "terraform_data" "r${index}" {\n  input = ${input}\n}\n`);
  }
  writeFileSync(join(cwd, "main.tf"), blocks.join("\n"));
}

/**
 * Makes a state of many resources out of one that an apply of a single resource wrote, so that its
 * plan can be measured without an apply of many minutes. The plan's exit code checks the result.
 *
 * @param {string} file
 * @param {number} count
 */
export function multiplyState(file, count) {
  const state = JSON.parse(readFileSync(file, "utf8"));
  const [model] = state.resources;
  state.resources = Array.from({ length: count }, (_, index) => {
    const resource = structuredClone(model);
    resource.name = `r${index}`;
    const { attributes } = resource.instances[0];
    const value = { name: `r${index}`, value: `v${index}` };
    attributes.input.value = value;
    attributes.output.value = value;
    attributes.id = `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
    return resource;
  });
  state.serial += 1;
  writeFileSync(file, JSON.stringify(state));
}
