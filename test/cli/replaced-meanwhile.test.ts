/** A person takes their time over a plan, and an upgrade replaces the program meanwhile. */

import { cpSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type Command, installCommand } from "./command.ts";
import { converse } from "./converse.ts";
import { isTerminalThere } from "./run-case.ts";

const hasTerminal = isTerminalThere("no question is asked");

let installed: Command;
let folder: string;

beforeAll(() => {
  installed = installCommand();
  folder = mkdtempSync(join(tmpdir(), "vmform-replaced-"));
});
afterAll(() => {
  installed.remove();
  rmSync(folder, { recursive: true, force: true });
});

test.skipIf(!hasTerminal)(
  "what was agreed to is done though files and schemas of the program are gone by then",
  async () => {
    const program = join(folder, "program");
    const built = dirname(dirname(inject("program")));
    for (const name of ["dist", "schemas"]) {
      cpSync(join(built, name), join(program, name), {
        recursive: true,
        filter: (path) => !path.endsWith(".map"),
      });
    }
    for (const name of ["package.json", "node_modules"]) {
      symlinkSync(join(built, name), join(program, name));
    }
    // Nothing is recorded: state and journal are written for the first time.
    const yaml = "resources:\n  noop_resource.a: { name: a }\noutputs: { n: { value: 1 } }\n";
    writeFileSync(join(folder, "main.vmform.yaml"), yaml);
    const command = `"${process.execPath}" "${join(program, "dist", "main.js")}" apply`;
    let isAsked = false;
    const { code, screen } = await converse(installed, folder, { command }, (text) => {
      if (isAsked || !/taken\s+as\s+consent:/.test(text)) return undefined;
      isAsked = true;
      for (const name of ["dist", "schemas"]) {
        renameSync(join(program, name), join(program, `old-${name}`));
      }
      return "yes\r";
    });
    expect(screen).toContain("Apply complete! Resources: 1 added");
    expect(code).toBe(0);
  },
);
