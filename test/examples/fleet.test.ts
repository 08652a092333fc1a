/**
 * docs/fleet.md as a newcomer follows it: what goes on does so in a shell of its own, all else is
 * typed one after the other, and what the page shows is printed. Ports are free ones.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readProjectFile } from "../architecture/project-files.ts";
import { type Command, installCommand } from "../cli/command.ts";
import { isLongRun } from "../helpers/amount.ts";
import { findNode22 } from "../queue/node22.ts";
import { freePort, hasPostgres } from "../stores/postgres-server.ts";
import { type Browser, browse } from "../unit/serve/browsing.ts";

const parts = readProjectFile("docs/fleet.md")
  .split(/^```sh\n/m)
  .slice(1);
const steps = parts.map((part) => ({
  commands: part.slice(0, part.indexOf("```\n")),
  shown: (/^```text\n(.*?)^```$/ms.exec(part)?.[1] ?? "").split("\n").filter((line) => line !== ""),
}));

type Shell = { readonly child: ChildProcess; readonly said: () => string };

describe("docs/fleet.md", () => {
  test("has its steps, and says what each prints", () => {
    expect(steps.length).toBeGreaterThan(10);
    expect(steps.filter(({ shown }) => shown.length > 0)).toHaveLength(steps.length);
  });
});

const node = isLongRun && hasPostgres() ? findNode22() : undefined;

describe.skipIf(node === undefined)("its commands", () => {
  let installed: Command;
  let home: string;
  let ports: readonly number[];
  let browser: Browser;
  const going: Shell[] = [];
  /** What stands in the place of names on the page. */
  const given = new Map<string, string>();

  beforeAll(async () => {
    installed = installCommand(node);
    home = mkdtempSync(join(tmpdir(), "vmform-fleet-docs-"));
    chmodSync(home, 0o755);
    ports = [await freePort(), await freePort()];
    given.set("8080", String(ports[0]));
    given.set("vmform serve --embedded", `vmform serve --embedded --listen 127.0.0.1:${ports[1]}`);
  });
  afterAll(async () => {
    for (const one of going.toReversed()) await interrupt(one);
    rmSync(home, { recursive: true, force: true });
    installed.remove();
  });

  function shell(commands: string): Shell {
    const typed = [...given].reduce((text, [from, to]) => text.replaceAll(from, to), commands);
    const env = {
      PATH: `${installed.bin}:${process.env.PATH ?? ""}`,
      ...{ HOME: home, NO_COLOR: "1", CI: "1" },
    };
    const cwd = commands.startsWith("mkdir") ? home : join(home, "lab");
    const child = spawn("bash", ["-c", typed], {
      ...{ cwd, env, detached: true },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        said += text;
        child.emit("said");
      });
    }
    return { child, said: () => said };
  }

  /** Until it has said all of this, or has ended. */
  async function heard({ child, said }: Shell, lines: readonly string[]): Promise<void> {
    while (child.exitCode === null && !lines.every((line) => said().includes(line))) {
      await Promise.race([once(child, "said"), once(child, "close")]);
    }
    for (const line of lines) expect(said()).toContain(line);
  }

  async function page(path: string): Promise<string> {
    const { status, body } = await browser.get(path);
    expect([path, status]).toEqual([path, 200]);
    return body;
  }

  const goesOn = (commands: string): boolean =>
    /^vmform (?:serve|simulate|agent|worker)\b[^\n]*\n$/m.test(commands);

  test.each(steps)("$commands", async ({ commands, shown }) => {
    const lines = shown.map((line) => line.replaceAll("8340", String(ports[1])));
    const running = shell(commands);
    if (goesOn(commands)) {
      going.push(running);
      await heard(running, lines);
      if (commands.includes("serve")) {
        browser = browse({ port: ports[1] ?? 0 });
        const [, path = ""] = /http:\/\/[^/]+(\/login\S+)/.exec(running.said()) ?? [];
        expect((await browser.get(path)).status).toBe(200);
        expect(await page("/states")).toContain("Nothing is recorded");
      }
      return;
    }
    await once(running.child, "close");
    const said = running.said();
    // As of the commands themselves: there are changes, drift, or a plan that waits.
    const tellsMore = /^vmform submit /m.test(commands);
    const isWaiting = lines.includes("needs approval");
    expect([said, running.child.exitCode]).toEqual([said, tellsMore ? 2 : 0]);
    for (const line of lines) expect(said).toContain(line);
    if (commands.includes("schedule list")) {
      expect(await page("/state?name=lab")).toContain("Looked for at <code>* * * * *</code>");
    }
    const [, run = "", sum = ""] = /vmform approve (\S+) --plan (\S+)/.exec(said) ?? [];
    if (isWaiting) {
      given.set("RUN", run);
      given.set("SUM", sum);
      expect(await page("/approvals")).toContain(`run?id=${run}`);
    }
  });

  test("what the pages show of it, and the approval there", async () => {
    const run = given.get("RUN") ?? "";
    expect(await page("/agents")).toMatch(/basement[^]*present/);
    const state = await page("/state?name=lab");
    expect(state).toContain("<code>daemon_vm.web</code>");
    const waiting = await page(`/run?id=${run}`);
    const [, plan = ""] = /name="plan" value="([^"]+)"/.exec(waiting) ?? [];
    await browser.post("/run-approve", [
      ["id", run],
      ["plan", plan],
    ]);
    const watched = shell(`vmform runs --watch ${run}`);
    await once(watched.child, "close");
    expect(watched.said()).toContain("Apply complete! Resources: 0 added, 1 changed, 0 destroyed.");
    expect(await page(`/run?id=${run}`)).toMatch(/Approve|approved/i);
    expect(await page("/audit")).toContain("approve");
  });

  test("Ctrl-C ends each part, the worker and the agent first", async () => {
    for (const one of going.toReversed()) await interrupt(one);
    expect(going.map(({ child }) => child.exitCode ?? child.signalCode)).toEqual(
      going.map(() => 0),
    );
    expect(going[0]?.said()).toContain("The embedded database has stopped; what is in it stays.");
  });
});

/** As Ctrl-C does: everything that runs in that terminal hears it. */
async function interrupt({ child }: Shell): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "close");
  process.kill(-(child.pid ?? 0), "SIGINT");
  await ended;
}
