/** The vmform side: separate resources of the built-in no-op type, in a folder of their own. */

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { measure } from "./measure.mjs";

export const entry = fileURLToPath(new URL("../dist/main.js", import.meta.url));

/**
 * @param {string} parent a folder that exists
 * @param {number} count instances
 */
export function prepareVmform(parent, count) {
  if (!existsSync(entry)) throw new Error("dist/main.js is missing: npm run build");
  const cwd = join(parent, `vmform-${count}`);
  mkdirSync(cwd);
  const lines = ["resources:"];
  for (let index = 0; index < count; index += 1) {
    lines.push(`  noop_resource.r${index}:`, `    name: r${index}`, `    value: v${index}`);
  }
  writeFileSync(join(cwd, "main.vmform.yaml"), `${lines.join("\n")}\n`);

  const run = (/** @type {string[]} */ ...args) =>
    measure([process.execPath, entry, ...args], { cwd });
  return {
    apply() {
      const applied = run("apply", "--auto-approve", "--no-color");
      expectText(applied.output, `${count} added`);
      return applied;
    },
    /** Exit code 0 under `--detailed-exitcode` is the proof that nothing is to be done. */
    planWithoutChanges: () => run("plan", "--detailed-exitcode", "--no-color"),
  };
}

/**
 * @param {string} output
 * @param {string} text
 */
function expectText(output, text) {
  if (!output.includes(text))
    throw new Error(`vmform did not say "${text}":\n${output.slice(-2000)}`);
}
