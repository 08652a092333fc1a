/**
 * The main job from start to end, on the embedded simulator: plan, apply, a change behind vmform's
 * back, a drift report, converging, an empty plan. It runs in a temporary folder, so the checkout
 * stays as it is. What vmform prints is its own output, untouched; every step is checked by its exit
 * code, and at the end by what the simulated daemon holds.
 *
 *     node scripts/demo.mjs [MAIN]
 *
 * MAIN is the program to run, by default the built one, dist/main.js.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const main = process.argv[2] ?? join(root, "dist", "main.js");
const example = join(root, "examples", "quickstart");
const world = join(".vmform", "simulator.json");

/** Values of variables from outside would make it another demo. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith("VMFORM_VAR_")),
);

/** Power of every VM that the configuration wants in the end. */
const wanted = { "web-base": "off", "web-a": "on", "web-b": "on" };

class DemoError extends Error {}

async function demo(folder) {
  say("1. What would be done?", "Exit code 2 says: there are changes.");
  await vmform(folder, ["plan", "--detailed-exitcode"], 2);

  say("2. Do it.");
  await vmform(folder, ["apply", "--auto-approve"], 0);

  say("3. Somebody turns one VM off and", "deletes another, without vmform.");
  await changeBehindItsBack(folder, [
    "{power_vm: {id: web-a, power: off}}",
    "{delete_vm: {id: web-b}}",
  ]);

  say("4. What changed?", "Exit code 2 says: drift.");
  await vmform(folder, ["drift"], 2);

  say("5. Converge: bring it back.");
  await vmform(folder, ["apply", "--auto-approve"], 0);

  say("6. A second plan is empty.");
  await vmform(folder, ["plan", "--detailed-exitcode"], 0);

  await checkWorld(folder);
  say("Done. Each step ended as it should.");
}

/** Runs one command with this terminal as its own; its exit code must be the expected one. */
async function vmform(folder, words, expected) {
  print(`$ vmform ${words.join(" ")}`);
  const child = spawn(process.execPath, [main, ...words], {
    cwd: folder,
    env: environment,
    stdio: "inherit",
  });
  const [code, signal] = await once(child, "exit");
  print(`(exit code ${code ?? signal})`);
  if (code !== expected) {
    throw new DemoError(`vmform ${words[0]} should have ended with exit code ${expected}.`);
  }
}

/**
 * Between two commands the embedded simulator does not run: its world lies in a file. So the world
 * is served from that file, changed through the simulator's control surface, and given back.
 */
async function changeBehindItsBack(folder, changes) {
  await withSimulator(folder, async (origin) => {
    for (const body of changes) {
      print("POST /_simulator/change", `  ${body}`);
      const reply = await fetch(`${origin}/_simulator/change`, { method: "POST", body });
      if (!reply.ok) throw new DemoError(`The simulator refused: ${await reply.text()}`);
    }
  });
}

async function checkWorld(folder) {
  await withSimulator(folder, async (origin) => {
    const held = {};
    for (const id of await (await fetch(`${origin}/api/vms`)).json()) {
      const reply = await fetch(`${origin}/api/vms/power/${id}`);
      held[id] = (await reply.json()).message.replace("powered ", "");
    }
    for (const id of new Set([...Object.keys(held), ...Object.keys(wanted)])) {
      if (held[id] === wanted[id]) continue;
      throw new DemoError(`VM ${id} is ${held[id] ?? "missing"}, not ${wanted[id] ?? "missing"}.`);
    }
  });
}

/** Serves the world of the demo as a process of its own while `work` runs. */
async function withSimulator(folder, work) {
  const child = spawn(process.execPath, [main, "simulate", "--persist", world], {
    cwd: folder,
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(child, "exit");
  try {
    await work(await originOf(child));
  } finally {
    child.kill("SIGTERM");
    await exit;
  }
}

/** The first line tells where it serves. */
async function originOf(child) {
  for await (const line of createInterface({ input: child.stdout })) {
    const origin = /^daemon: (http:\S+)$/.exec(line)?.[1];
    if (origin !== undefined) return origin;
  }
  throw new DemoError("The simulator did not start.");
}

function say(...lines) {
  print("", ...lines.map((line) => `# ${line}`));
}

function print(...lines) {
  process.stdout.write(`${lines.join("\n")}\n`);
}

/** Without what runs of the example have left in the checkout. */
function copyExample(base) {
  const folder = join(base, "examples", "quickstart");
  mkdirSync(folder, { recursive: true });
  const filter = (path) => basename(path) !== ".vmform";
  cpSync(example, folder, { recursive: true, filter });
  return folder;
}

process.stdout.on("error", (error) => {
  // The reader has seen enough, as `head` does.
  if (error.code === "EPIPE") process.exit(1);
  throw error;
});

if (!existsSync(main)) {
  process.stderr.write(`${main} is missing: run npm ci, or npm run build.\n`);
  process.exit(1);
}
const base = mkdtempSync(join(tmpdir(), "vmform-demo-"));
try {
  await demo(copyExample(base));
} catch (error) {
  if (!(error instanceof DemoError)) throw error;
  process.stderr.write(`The demo failed: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(base, { recursive: true, force: true });
}
