/** What `init` asks where there is nothing yet, in a real terminal. */

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { runNode } from "../examples/program.ts";
import { onlyInLongRun } from "../helpers/amount.ts";
import { type Command, installCommand } from "./command.ts";
import { type Conversation, converse } from "./converse.ts";
import { isTerminalThere } from "./run-case.ts";

const hasTerminal = isTerminalThere("no question is asked");

let installed: Command;
let folder: string;

beforeAll(() => {
  installed = installCommand();
});
afterAll(() => installed.remove());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "vmform-first-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Types each answer at the next prompt; Ctrl-D where none is left. */
function run(command: string, answers: readonly string[]): Promise<Conversation> {
  const left = [...answers];
  let asked = 0;
  return converse(installed, folder, { command }, (screen) => {
    const prompts = screen.match(/(?:\]|\.com): /g)?.length ?? 0;
    if (prompts <= asked) return undefined;
    asked = prompts;
    return left.length === 0 ? "\u0004" : `${left.shift()}\r`;
  });
}

const configuration = (): string => readFileSync(join(folder, "main.vmform.yaml"), "utf8");
const vmform = (...words: readonly string[]) => runNode(installed.main, words, folder);

describe.skipIf(!hasTerminal)("init in an empty folder", () => {
  test("asks for each interface what has to be known of it, until it can be used", async () => {
    const answers = [
      ...["1 cloud", "nowhere", "", "https://me:hunter2@cloud.example"],
      ...["https://cloud.example", "ops", "", "variable", "s3cret", "OPS_PASSWORD"],
    ];
    const { code, screen } = await run("vmform init", answers);
    expect(code).toBe(0);
    expect(screen).toContain("The url must begin with https://");
    expect(screen).toContain("must not hold a login");
    expect(screen).toContain("the password itself is written nowhere");
    expect(screen).toContain("variable OPS_PASSWORD");
    const text = configuration();
    expect(text).toMatch(/^# yaml-language-server: /);
    expect(text).toContain('    url: "http://127.0.0.1:8080"\n');
    expect(text).toContain('    url: "https://cloud.example"\n    user: ops\n    org: system\n');
    expect(text).toContain("    password: { env: OPS_PASSWORD }\n");
    expect(text).not.toMatch(/hunter2|s3cret/);
    expect(await vmform("validate")).toMatchObject({ code: 0, stderr: "" });
  });

  test(
    "a password in a file of the folder stays out of the repository",
    onlyInLongRun,
    async () => {
      const { code } = await run("vmform init", [
        "manager",
        "https://m.example",
        "",
        "file",
        "my pw",
      ]);
      expect(code).toBe(0);
      expect(configuration()).toContain("password: { file: my pw }");
      expect(readFileSync(join(folder, ".gitignore"), "utf8")).toContain("\nmy pw\n");
      expect(await vmform("validate")).toMatchObject({ code: 0, stderr: "" });
    },
  );

  test("options answer for it", async () => {
    const command = "vmform init --url https://m.example --user root --password-env PW";
    expect(await run(command, ["3"])).toMatchObject({ code: 0 });
    expect(configuration()).toContain('url: "https://m.example"\n    user: root\n');
  });

  test("empty answers give an example that works at once", async () => {
    const { code, screen } = await run("vmform init", ["", ""]);
    expect(code).toBe(0);
    expect(screen).toContain("vmform apply");
    expect(await vmform("apply", "--auto-approve")).toMatchObject({ code: 0 });
    expect(await vmform("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
  });

  test.each<[string, string, readonly string[]]>([
    ["the end of input", "vmform init", []],
    ["the end of input later", "vmform init", ["cloud", "https://cloud.example"]],
    ["the simulator beside others", "vmform init", ["1,5", "daemon simulator"]],
    ["nobody to ask", "vmform init --no-input", []],
    ["a pipe", "vmform init | cat; exit 1", []],
  ])("nothing is written: %s", async (_what, command, answers) => {
    const { code } = await run(command, answers);
    expect(code).toBe(1);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("Ctrl-C writes nothing", async () => {
    let isAsked = false;
    const { code } = await converse(installed, folder, { command: "vmform init" }, (screen) => {
      if (isAsked || !screen.includes("]: ")) return undefined;
      isAsked = true;
      return "\u0003";
    });
    expect(code).toBe(130);
    expect(existsSync(join(folder, "main.vmform.yaml"))).toBe(false);
  });
});

describe.skipIf(!hasTerminal)("adopt", () => {
  const world = "daemon: { vms: { web-1: { power: on }, web-2: { power: on }, golden: {} } }\n";
  const main =
    "vmform: { simulator: { world: ./world.yaml } }\n" +
    'providers: { daemon: { url: "http://127.0.0.1:8080" } }\n';

  beforeEach(() => {
    writeFileSync(join(folder, "world.yaml"), world);
    writeFileSync(join(folder, "main.vmform.yaml"), main);
  });

  test("asks what is to be managed, and ends with an empty plan", onlyInLongRun, async () => {
    const answers = ["7", "daemon_vm", "object.nam", 'object.id.startsWith("web")', "perhaps", ""];
    const { code, screen } = await run("vmform adopt", answers);
    expect(screen).toContain("daemon_vm: 3 unmanaged");
    expect(screen).toContain('None of them is "7"');
    expect(screen).toContain("Did you mean object.name?");
    expect(screen).toContain("Write yes or no.");
    expect(screen).toContain("The plan is empty");
    expect(code).toBe(0);
    const { stdout } = await vmform("state", "list");
    expect(stdout).toBe('daemon_vm.web["web-1"]\ndaemon_vm.web["web-2"]\n');
  });

  test.each<[string, readonly string[]]>([
    ["no", ["", "", "no"]],
    ["the end of input", ["", ""]],
  ])("writes nothing: %s", async (_what, answers) => {
    const { code, screen } = await run("vmform adopt", answers);
    expect(code).toBe(1);
    expect(screen.replaceAll(/\s+/g, " ")).toContain("nothing is recorded");
    expect(readdirSync(folder)).not.toContain("adopted.vmform.yaml");
    expect(readdirSync(folder)).not.toContain("state");
  });
});
