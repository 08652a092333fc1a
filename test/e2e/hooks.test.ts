/** Hooks: a real server and real programs are told, and no run depends on whether they were. */

import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { compileSchema } from "../../src/lib/schema/schema.ts";
import { onlyInLongRun } from "../helpers/amount.ts";
import { realClock, runInside } from "../helpers/program.ts";
import { createPlace, type Place } from "./place.ts";

type Request = {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly body: { readonly [name: string]: unknown };
};

let place: Place;
let server: Server;
let origin: string;
let requests: Request[];
/** Statuses of the first answers; later ones are 204. Undefined: no answer at all. */
let answers: (number | undefined)[];
let page: string;

beforeEach(async () => {
  place = await createPlace();
  requests = [];
  answers = [];
  page = "<p>top secret page</p>";
  server = createServer((request, reply) => {
    let text = "";
    request.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    request.on("end", () => {
      const { method, url, headers } = request;
      const body = JSON.parse(text) as Request["body"];
      requests.push({ method, url, authorization: headers.authorization, body });
      const status = answers.length > 0 ? answers.shift() : 204;
      if (status === undefined) return;
      if (status === 307) reply.setHeader("location", "/elsewhere");
      reply.writeHead(status, { "content-type": "text/html" }).end(page);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await place.remove();
});

const vm = "  daemon_vm.web: { id: web, name: Web, power: on }";
function hooks(lines: string): string {
  return `vmform:\n  on:\n${lines.replaceAll(/^/gm, "    ")}\n`;
}
function webhook(more = ""): string {
  return `[{ webhook: { url: "${origin}/hook?of=lab" }${more} }]`;
}
const all = (): string =>
  ["drift", "applied", "failed", "needs_approval"].map((one) => `${one}: ${webhook()}`).join("\n");

test("a server that agrees at length is told", async () => {
  page = "long ".repeat(300_000);
  place.write(vm, hooks(`applied: ${webhook()}`));
  answers = [200];
  const { stdout, stderr } = await place.run(0, "apply", "--auto-approve");
  expect(requests).toHaveLength(1);
  expect(stdout + stderr).not.toContain("CLI035");
});

test("a server is told of a plan that was saved, of an apply and of drift, each once", async () => {
  place.write(vm, hooks(all()));
  await place.run(0, "plan", "--out", place.file("saved"));
  await place.run(0, "apply", place.file("saved"));
  await place.run(0, "apply", "--auto-approve");
  await place.run(0, "drift");
  await place.simulators.change({ power_vm: { id: "web", power: "off" } });
  await place.run(2, "drift");
  expect(requests.map(({ body }) => [body.event, body.command])).toEqual([
    ["needs_approval", "plan"],
    ["applied", "apply"],
    ["drift", "drift"],
  ]);
  expect(requests[2]).toMatchObject({
    method: "POST",
    url: "/hook?of=lab",
    body: {
      format_version: "1.0",
      vmform_version: "0.1.0",
      workspace: "default",
      simulated: false,
      directory: place.folder,
      summary: "Drift: 1 drifted, 0 missing, 0 in sync.",
    },
  });
  const schema = new URL("../../schemas/hook-message.schema.json", import.meta.url);
  const check = compileSchema(JSON.parse(readFileSync(schema, "utf8")) as object);
  expect(requests.flatMap(({ body }) => check(body))).toEqual([]);
  const ids = requests.map(({ body }) => body.id);
  expect(new Set(ids).size).toBe(3);
});

test("nobody who can agree, and an endpoint that is down", async () => {
  place.write(vm, hooks(all()));
  await place.run(1, "apply");
  await place.run(0, "apply", "--auto-approve");
  await place.simulators.stop();
  place.simulators.stop = () => Promise.resolve();
  await place.run(1, "drift");
  await place.run(1, "destroy", "--auto-approve");
  await place.run(1, "drift", "--format", "json", "--json", "--target", "nonsense");
  expect(requests.map(({ body }) => [body.event, body.command])).toEqual([
    ["needs_approval", "apply"],
    ["applied", "apply"],
    ["failed", "drift"],
    ["failed", "destroy"],
  ]);
});

test("a plan that was to be saved and has failed is told, and one that somebody looks at is not", async () => {
  place.write("  daemon_vm.web: { id: web, nmae: Web }", hooks(all()));
  await place.run(1, "plan");
  await place.run(1, "plan", "--out", place.file("saved"));
  place.write(vm, hooks(all()));
  await place.simulators.change({ create_vm: { id: "web" } });
  await place.run(1, "plan", "--out", place.file("saved"));
  expect(requests.map(({ body }) => [body.event, body.command])).toEqual([
    ["failed", "plan"],
    ["failed", "plan"],
  ]);
});

test("a server that is not ready is told again, with the same id", onlyInLongRun, async () => {
  answers = [503, 500];
  place.write(vm, hooks(`applied: ${webhook()}`));
  const { stdout, stderr } = await place.run(0, "apply", "--auto-approve");
  expect(requests).toHaveLength(3);
  expect(new Set(requests.map(({ body }) => body.id)).size).toBe(1);
  expect(stdout + stderr).not.toContain("CLI035");
});

test.each([
  ["refuses for good", [404], "it answers 404", 1],
  ["leads elsewhere", [307], "server moved to ", 1],
  ["is never ready", [503, 503, 503], "it answers 503, after 2 tries", 2],
  ["does not answer", [undefined, undefined], "after 2 tries", 2],
] as const)(
  "a server that %s: a warning, and the run is what it is",
  async (_name, given, why, n) => {
    answers = [...given];
    place.write(vm, hooks(`applied: ${webhook(", tries: 2, timeout: 300ms")}`));
    const { stdout, stderr } = await place.run(0, "apply", "--auto-approve");
    expect(requests).toHaveLength(n);
    expect(stdout + stderr).toContain("warning: Hook was not told (CLI035)");
    expect(stdout + stderr).toContain(why);
    expect(stdout + stderr).not.toContain("top secret page");
    await place.run(0, "plan", "--detailed-exitcode");
  },
);

test("a port that is closed: a warning, and drift is drift", async () => {
  place.write(vm, "");
  await place.run(0, "apply", "--auto-approve");
  await place.simulators.change({ power_vm: { id: "web", power: "off" } });
  const closed = "[{ webhook: { url: 'http://127.0.0.1:1/x' }, tries: 1 }]";
  place.write(vm, hooks(`drift: ${closed}`));
  const { stdout, stderr } = await place.run(2, "drift");
  expect(stdout + stderr).toContain("Hook 1 (127.0.0.1:1) could not be told of drift");
  expect(stdout + stderr).toContain("connection refused");
});

test(
  "drift again and again is told once, and when it is another or has come back",
  onlyInLongRun,
  async () => {
    place.write(vm, hooks(`drift: ${webhook()}`));
    await place.run(0, "apply", "--auto-approve");
    const turns = [
      () => place.simulators.change({ power_vm: { id: "web", power: "off" } }),
      async () => undefined,
      () => place.simulators.change({ power_vm: { id: "web", power: "on" } }),
      () => place.simulators.change({ power_vm: { id: "web", power: "off" } }),
      () => place.simulators.change({ delete_vm: { id: "web" } }),
    ];
    const told: number[] = [];
    const sleep = async (ms: number): Promise<void> => {
      if (ms < 10_000) return realClock.sleep(ms);
      told.push(requests.length);
      const turn = turns.shift();
      if (turn === undefined) throw new Error("this was the last turn");
      await turn();
    };
    const words = ["drift", "--every", "15m"];
    const repeated = runInside(place.folder, words, { clock: { ...realClock, sleep } });
    await expect(repeated).rejects.toThrow("this was the last turn");
    // Calm, off, still off, calm, off again, gone.
    expect(told).toEqual([0, 1, 1, 1, 2, 3]);
  },
);

test("as data, the warning stands in the document of drift", async () => {
  place.write(vm, "");
  await place.run(0, "apply", "--auto-approve");
  await place.simulators.change({ power_vm: { id: "web", power: "off" } });
  place.write(vm, hooks("drift: [{ command: [./none] }]"));
  const { stdout } = await place.run(2, "drift", "--json");
  expect(JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
    diagnostics: [{ code: "CLI035", severity: "warning" }],
  });
});

/** All that was written to either stream, in its order. */
async function saidOf(words: readonly string[], answer?: string): Promise<string> {
  let said = "";
  const onWrite = (text: string): void => {
    said += text;
  };
  await runInside(place.folder, words, { onWrite, ...(answer === undefined ? {} : { answer }) });
  return said;
}

test(
  "a hook that hangs keeps neither an answer waiting, nor what comes of it",
  onlyInLongRun,
  async () => {
    const path = program("exec sleep 60");
    const hook = `{ command: ["${path}"], tries: 1, timeout: 2s }`;
    place.write(vm, hooks(`needs_approval: [${hook}]`));
    const said = await saidOf(["apply"], "yes");
    expect(said).toMatch(/Apply complete!.*CLI035.*needs_approval: did not end within 2 s/s);
  },
);

test("why a command has failed is shown before anybody is told", async () => {
  place.write("  daemon_vm.web: { id: web, nome: Web }", hooks("failed: [{ command: [./none] }]"));
  expect(await saidOf(["apply", "--auto-approve"])).toMatch(/CFG013.*CLI035/s);
});

test("as data, an error and the hook that was not told of it are one document", async () => {
  place.write(vm, hooks("failed: [{ command: [./none] }]"));
  await place.run(0, "apply", "--auto-approve");
  writeFileSync(place.file("state/default.json"), "<html>");
  const { stdout } = await place.run(1, "drift", "--json");
  expect(JSON.parse(stdout)).toMatchObject({
    diagnostics: [{ severity: "error" }, { code: "CLI035", severity: "warning" }],
  });
});

test("a secret URL and token are sent, and shown nowhere", async () => {
  writeFileSync(place.file("url"), `${origin}/services/T0KEN-of-the-path\n`);
  writeFileSync(place.file("token"), "Bearer s3cret-token\n");
  answers = [403];
  const secret = "secret_url: { file: url }, authorization: { file: token }";
  place.write(vm, hooks(`applied: [{ webhook: { ${secret} } }]`));
  const { stdout, stderr } = await place.run(0, "apply", "--auto-approve");
  expect(requests).toMatchObject([
    { url: "/services/T0KEN-of-the-path", authorization: "Bearer s3cret-token" },
  ]);
  expect(stdout + stderr).toContain("it answers 403");
  expect(stdout + stderr).not.toMatch(/T0KEN|s3cret/);
});

function program(text: string): string {
  const path = place.file("tell.sh");
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

test("a secret URL without a path takes no slash out of what is said", async () => {
  writeFileSync(place.file("url"), origin);
  answers = [404];
  place.write(
    vm,
    hooks("applied: [{ webhook: { secret_url: { file: url } } }, { command: [a/b] }]"),
  );
  const { stdout, stderr } = await place.run(0, "apply", "--auto-approve");
  expect(stdout + stderr).toContain(
    'Hook 2 ("a/b") could not be told of applied: spawn a/b ENOENT',
  );
});

test("a program gets the message on standard input, without a shell", async () => {
  const path = program('cat > told.json\nprintf %s "$1" > word');
  place.write(vm, hooks(`applied: [{ command: ["${path}", "$HOME; a b"] }]`));
  await place.run(0, "apply", "--auto-approve");
  expect(JSON.parse(readFileSync(place.file("told.json"), "utf8"))).toMatchObject({
    event: "applied",
    command: "apply",
  });
  expect(readFileSync(place.file("word"), "utf8")).toBe("$HOME; a b");
});

test.each([
  ["fails", "echo 'no \u001b[2Jroom' >&2; exit 3", "ended with code 3: no "],
  ["does not end", "exec sleep 60", "did not end within 0.3 s"],
  ["reads nothing, and ends", "exec false", "ended with code 1"],
])("a program that %s is a warning", async (_name, text, why) => {
  const path = program(text);
  const hook = `{ command: ["${path}"], tries: 1, timeout: 300ms }`;
  place.write(vm, hooks(`applied: [${hook}]`));
  const { stdout, stderr } = await place.run(0, "apply", "--auto-approve");
  expect(stdout + stderr).toContain(why);
  expect(stdout + stderr).not.toContain("\u001b[2J");
});

test("what a program complains of is masked before it is cut", async () => {
  writeFileSync(place.file("token"), "Bearer s3cret-token");
  const path = program("sleep 0.3; printf '%0190d' 0 >&2; cat token >&2; exit 3");
  const told = `webhook: { url: "${origin}", authorization: { file: token } }`;
  place.write(vm, hooks(`applied: [{ ${told} }, { command: ["${path}"], tries: 1 }]`));
  const { stdout, stderr } = await place.run(0, "apply", "--auto-approve");
  expect(stdout + stderr).toContain("ended with code 3: 000");
  expect(stdout + stderr).not.toContain("Bearer");
});

test("a program that is not there is a warning, told once", async () => {
  place.write(vm, hooks("applied: [{ command: [./none] }]"));
  const { stdout, stderr } = await place.run(0, "apply", "--auto-approve");
  expect(stdout + stderr).toContain('Hook 1 ("./none") could not be told of applied');
  expect(existsSync(place.file("state/default.json"))).toBe(true);
});

test.each([
  ["[{ command: [x], webhook: { url: 'http://x' } }]", "A hook has both."],
  ["[{ timeout: 3s }]", "neither a command nor a webhook"],
  ["[{ webhook: { url: 'ftp://x' } }]", "begins with http:// or https://"],
  ["[{ webhook: { url: 'http://u:p@x' } }]", "neither user nor password"],
  ["[{ webhook: {} }]", "one of url and secret_url"],
  ["[{ command: [x], timeout: 2h }]", "no limit of a hook"],
])("settings that cannot be meant: %s", async (hook, said) => {
  place.write(vm, hooks(`applied: ${hook}`));
  const { stdout, stderr } = await place.run(1, "validate");
  expect(stdout + stderr).toContain(said);
});
