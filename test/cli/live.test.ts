/**
 * The live part in a real terminal: what was on the screen before stays in the scrollback, every
 * operation that ended has its line, and the cursor is given back.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type RunningSimulators, startSimulators } from "../../src/simulators/start.ts";
import { onlyInLongRun, some } from "../helpers/amount.ts";
import { type Command, installCommand } from "./command.ts";
import { type Conversation, converse } from "./converse.ts";
import { isTerminalThere } from "./run-case.ts";

const hasTerminal = isTerminalThere("nothing is drawn");

const vms = 20;
const world = { daemon: { durations_ms: { clone: 600 }, vms: { img: {} } } };
const resources = `  daemon_vm.app:
    count: ${vms}
    id: "app-\${count.index}"
    parent_id: img
    power: off
`;

let installed: Command;
let folder: string;
let simulators: RunningSimulators;

beforeAll(() => {
  installed = installCommand();
});
afterAll(() => installed.remove());
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "vmform-live-"));
  simulators = await startSimulators({ world });
  const url = simulators.origins.daemon;
  const providers = `providers: { daemon: { url: "${url}" } }\n`;
  writeFileSync(join(folder, "main.vmform.yaml"), `${providers}resources:\n${resources}`);
});
afterEach(async () => {
  await simulators.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the command in a terminal of that size; presses Ctrl-C once when `cue` has been seen. */
function inTerminal(
  command: string,
  environment: { readonly [name: string]: string } = {},
  cue?: string,
): Promise<Conversation> {
  let pressed = false;
  const line = `stty cols 60 rows 12; exec ${command}`;
  return converse(installed, folder, { command: line, environment }, (screen) => {
    if (cue === undefined || pressed || !screen.includes(cue)) return undefined;
    pressed = true;
    return "\u0003";
  });
}

const wipes = ["\u001b[2J", "\u001b[3J", "\u001bc"];
const hidden = "\u001b[?25l";
const given = "\u001b[?25h";

describe.runIf(hasTerminal)("the live part", () => {
  test(
    "wipes nothing, and prints what has ended once, with more running than rows",
    onlyInLongRun,
    async () => {
      const { code, screen } = await inTerminal("vmform apply --auto-approve --parallelism 20");
      expect({ code, screen }).toMatchObject({ code: 0 });
      for (const wipe of wipes) expect(screen).not.toContain(wipe);
      expect(screen).toContain("more running");
      for (let index = 0; index < vms; index += 1) {
        const line = `daemon_vm.app[${index}]: clone complete after`;
        expect(screen.split(line)).toHaveLength(2);
      }
      expect(screen).not.toContain("clone VM app-0 from img...");
      expect(screen.lastIndexOf(given)).toBeGreaterThan(screen.lastIndexOf(hidden));
      expect(screen).toContain(`Resources: ${vms} added`);
    },
  );

  test(
    "a request to stop is told above it, and the terminal is given back",
    onlyInLongRun,
    async () => {
      const command = "vmform apply --auto-approve --parallelism 2";
      const { code, screen } = await inTerminal(command, {}, hidden);
      expect({ code, screen }).toMatchObject({ code: 130 });
      expect(screen).toContain("Stopping: waiting for");
      expect(screen.lastIndexOf(given)).toBeGreaterThan(screen.lastIndexOf(hidden));
    },
  );

  test(
    "Ctrl-Z gives the terminal to the shell, and what goes on is drawn anew",
    onlyInLongRun,
    async () => {
      const apply = "vmform apply --auto-approve --parallelism 2";
      const line = `stty cols 60 rows 12; ${apply}; echo STOPPED; fg; echo "CODE $?"`;
      let pressed = false;
      const command = `bash -mc '${line}'`;
      const { screen } = await converse(installed, folder, { command }, (seen) => {
        // All that is drawn takes as long as a clone.
        if (pressed || !seen.includes(hidden)) return undefined;
        pressed = true;
        return "\u001a";
      });
      const [before = "", after = ""] = screen.split(/STOPPED(?=\r?\n)/);
      expect(before).toContain(hidden);
      expect(before.lastIndexOf(given)).toBeGreaterThan(before.lastIndexOf(hidden));
      expect(after).toContain(hidden);
      expect(after.lastIndexOf(given)).toBeGreaterThan(after.lastIndexOf(hidden));
      expect(screen).toContain(`Resources: ${vms} added`);
      expect(screen).toContain("CODE 0");
      for (let index = 0; index < vms; index += 1) {
        expect(screen.split(`daemon_vm.app[${index}]: clone complete after`)).toHaveLength(2);
      }
    },
  );

  const calm = [
    ["CI", "", { CI: "1" }],
    ["CI that is set to nothing", "", { CI: "" }],
    ["CI by its other name", "", { CONTINUOUS_INTEGRATION: "yes" }],
    ["a terminal that cannot move its cursor", "", { TERM: "dumb" }],
    ["--progress plain", " --progress plain", {}],
  ] as const;

  test.each(some(calm, 1))(
    "%s: a line for each event, nothing drawn",
    async (_name, flags, environment) => {
      const { code, screen } = await inTerminal(`vmform apply --auto-approve${flags}`, environment);
      expect({ code, screen }).toMatchObject({ code: 0 });
      expect(screen).not.toContain(hidden);
      expect(screen).toContain("clone VM app-0 from img...");
    },
  );
});
