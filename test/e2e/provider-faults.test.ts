/**
 * Packages that are at fault, by the command: each is told as the package's own, with its name and
 * a code, without a stack, without a secret, and never as a fault of vmform.
 */

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { type Ended, runNode } from "../examples/program.ts";
import { onlyInLongRun, some } from "../helpers/amount.ts";
import { buildProgram } from "../helpers/build.ts";

const program = buildProgram();
const example = fileURLToPath(new URL("../../examples/provider/dns", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "vmform-faults-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const secret = "hunter2-of-the-zone";

/** The example with its source changed, in a folder with a configuration that uses it. */
function place(code: string, description: object = {}): string {
  const folder = mkdtempSync(join(scratch, "place-"));
  cpSync(example, join(folder, "dns"), { recursive: true });
  const path = join(folder, "dns", "package.json");
  const described = JSON.parse(readFileSync(path, "utf8")) as object;
  const vmform = { provider: "./broken.js", contract: 1 };
  writeFileSync(path, JSON.stringify({ ...described, vmform, ...description }));
  writeFileSync(join(folder, "dns", "broken.js"), `import dns from "./index.js";\n${code}\n`);
  writeFileSync(
    join(folder, "main.vmform.yaml"),
    `vmform: { state: { local: { path: ./state/state.json } } }
providers: { dns: { package: ./dns, zone_file: ./zone, token: { env: TOKEN } } }
resources: { dns_record.a: { name: a, kind: A, value: 192.0.2.1 } }
`,
  );
  return folder;
}

/** A package whose definition, type or session is changed by an expression. */
function changed({ definition = "{}", type = "{}", session = "{}" } = {}): string {
  return `export default async (kit) => {
    const given = await dns(kit);
    const token = { type: "string", description: "Lets in.", "x-vmform": { sensitive: true } };
    given.settings.properties.token = token;
    const [one] = given.types;
    return {
      ...given,
      types: [{ ...one, ...(${type}) }],
      open: async (settings, ports) => {
        const opened = await given.open(settings, ports);
        return { ...opened, ...(${session}) };
      },
      ...(${definition}),
    };
  };`;
}

/** One whose records have a secret with these marks. */
function secretly(marks: string, session = "{}"): string {
  const property = `{ type: "string", description: "Lets in.", "x-vmform": { ${marks} } }`;
  const type =
    `{ schema: { ...one.schema, properties: { ...one.schema.properties, pin: ${property} } }, ` +
    "lower: (change) => change.inputs?.pin === undefined ? one.lower(change) : " +
    "one.lower(change).map((step) => ({ ...step, " +
    "proof: change.action === 'update' ? { expect: [], unobservable: true } : step.proof, request: { ...step.request, inputs: " +
    "{ ...step.request.inputs, pin: change.inputs.pin } } })) }";
  return changed({ type, session });
}

const run = (folder: string, ...words: readonly string[]): Promise<Ended> =>
  runNode(program.main, words, folder, { TOKEN: secret });
const apply = ["apply", "--auto-approve"];

type Case = readonly [what: string, code: string, expected: RegExp, description?: object];

const named = ([what, code, expected, description]: Case) => ({
  ...{ what, code, expected, description },
});

const unusable: readonly Case[] = [
  ["that cannot be parsed", "export default (", /failed: broken.js: SyntaxError/],
  ["without a default export", "export const a = 1;", /has no default export/],
  ["that throws", "throw new Error('boom');", /failed: broken.js: Error: boom/],
  ["whose function throws", "export default () => { null.x; };", /default export: TypeError/],
  ["that gives back nothing", "export default () => {};", /does not fit contract 1/],
  ["with a type of another's name", changed({ type: '{ name: "daemon_vm" }' }), /begin with dns_/],
  ["that takes a name of ours", changed({ definition: '{ name: "noop" }' }), /begin with noop_/],
  ["with an unknown member", changed({ type: "{ lowr: 1 }" }), /additional properties: lowr/],
  ["without a function", changed({ type: "{ lower: 1 }" }), /lower is no function/],
  [
    "with a schema that is none",
    changed({ type: '{ schema: { type: "obj" } }' }),
    /schema of dns_/,
  ],
  [
    "of another contract",
    changed(),
    /contract 7, and this vmform knows contract 1/,
    { vmform: { provider: "./broken.js", contract: 7 } },
  ],
  ["that is none", changed(), /is no provider package/, { vmform: null }],
  ["that could read a secret back", secretly("sensitive: true"), /unreadable too/],
  ["whose key is a secret", secretly("sensitive: true, unreadable: true, key: true"), /unreadable/],
  [
    "whose file is elsewhere",
    changed(),
    /which is outside of it/,
    { vmform: { provider: "../main.vmform.yaml", contract: 1 } },
  ],
  ["with dependencies", changed(), /depends on undici/, { dependencies: { undici: "7" } }],
];

const failing: readonly (readonly [what: string, code: string, expected: RegExp])[] = [
  [
    "lower throws",
    changed({ type: "{ lower: () => { throw new TypeError('x is not a function') } }" }),
    /failed: dns_record.lower: TypeError: x is not a function/,
  ],
  [
    "lower gives another shape",
    changed({ type: "{ lower: () => [{ verb: 'add' }] }" }),
    /failed: dns_record.lower: what it gives back.*required/,
  ],
  [
    "a request is no JSON",
    changed({
      type: "{ request: () => ({ method: 'ADD', path: '/', body: { at: new Date() } }) }",
    }),
    /dns_record.request: .*body.at is an object of a class/,
  ],
  ["identityOf is a promise", changed({ type: "{ identityOf: async () => 'a/A' }" }), /identityOf/],
  [
    "a limit is not finite",
    changed({ type: "{ limitMs: () => NaN }" }),
    /limitMs: what it gives back is NaN/,
  ],
  [
    "open rejects",
    changed({ definition: "{ open: async () => { throw new Error('no') } }" }),
    /failed: open: Error: no \(PKG001\)/,
  ],
  [
    "open gives no session",
    changed({ definition: "{ open: async () => ({}) }" }),
    /no session with read, send and close/,
  ],
  ["read throws", changed({ session: "{ read: () => { throw 'text' } }" }), /read: threw "text"/],
  [
    "read answers too few",
    changed({ session: "{ read: async () => [] }" }),
    /1 were asked for, and 0 answered/,
  ],
  [
    "read gives an attribute of no schema",
    changed({
      session:
        "{ read: async () => [{ status: 'found', identity: 'a/A', unreadable: {}, attributes: { x: 1 } }] }",
    }),
    /has x, which its schema has not/,
  ],
  [
    "read gives back a secret",
    secretly(
      "sensitive: true, unreadable: true",
      "{ read: async () => [{ status: 'found', identity: 'a/A', unreadable: {}, attributes: { pin: 'x' } }] }",
    ),
    /pin of dns_record.a is a secret, which is not to be given back/,
  ],
  [
    "read never ends",
    changed({
      definition: "{ callLimitMs: 50 }",
      session: "{ read: () => new Promise(() => {}) }",
    }),
    /read: it has not answered within 0.05 s/,
  ],
  [
    "an error holds a secret",
    changed({ session: "{ read: async () => { throw new Error('bad ' + settings.token) } }" }),
    /read: Error: bad \*\*\*/,
  ],
  [
    "a refusal holds a secret",
    changed({
      session:
        "{ read: async () => { throw new kit.RemoteError({ kind: 'unavailable', effect: 'none', message: 'bad ' + settings.token }) } }",
    }),
    /bad \*\*\*/,
  ],
];

/** Nothing of ours is blamed, and nothing secret or of a stack is told. */
function holdBlame({ code, stdout, stderr }: Ended): string {
  const told = `${stdout}${stderr}`;
  expect(told).not.toMatch(/a fault of vmform itself|\n\s+at /);
  expect(told).not.toContain(secret);
  expect(code).toBe(1);
  return told.replaceAll(/\s+/g, " ");
}

describe("a secret of a resource", () => {
  const session = `{
    send: async (operation, deadlineMs) => {
      if (operation.request.inputs.pin !== settings.token) throw new Error("not the secret");
      return opened.send(operation, deadlineMs);
    },
  }`;
  const given = secretly("sensitive: true, unreadable: true", session);

  function configured(pin: string, more = "", code = given): string {
    const folder = place(code);
    const path = join(folder, "main.vmform.yaml");
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replace("value: 192.0.2.1", `value: 192.0.2.1, pin: ${pin}`) + more);
    return folder;
  }

  it("is what is sent, and a reference everywhere else", async () => {
    const folder = configured("{ env: TOKEN }");
    expect(await run(folder, ...apply)).toMatchObject({ code: 0, stderr: "" });
    expect((await run(folder, "plan")).stdout).toContain("No changes.");
    const recorded = readFileSync(join(folder, "state/state.json"), "utf8");
    expect(recorded).toContain('"env": "TOKEN"');
    expect(recorded).not.toContain(secret);
  });

  it("is not taken from what a remote task tells", onlyInLongRun, async () => {
    const telling = `{
      send: async (operation, deadlineMs) => {
        await opened.send(operation, deadlineMs);
        return { handle: "task" };
      },
      poll: async () => ({ status: "success", attributes: { pin: settings.token } }),
    }`;
    const code = secretly("sensitive: true, unreadable: true", telling);
    const folder = configured("{ env: TOKEN }, timeouts: { create: 2s }", "", code);
    const ended = await run(folder, ...apply);
    expect(ended.stdout + ended.stderr).toContain("is a secret, which is not to be given back");
    const state = join(folder, "state");
    const kept = readdirSync(state).map((name) => readFileSync(join(state, name), "utf8"));
    expect(kept.join("\n")).toContain('"env": "TOKEN"');
    expect(kept.join("\n")).not.toContain(secret);
  });

  it(
    "is sent to an object that is imported, and missing it is an error before that",
    onlyInLongRun,
    async () => {
      const folder = configured("{ env: NOBODY }", "imports: [{ to: dns_record.a, id: a/A }]\n");
      writeFileSync(join(folder, "zone"), "a 60 IN A 192.0.2.1\n");
      const missing = holdBlame(await run(folder, ...apply));
      expect(missing).toContain("a secret is missing: environment variable NOBODY is not set");
      expect(readFileSync(join(folder, "zone"), "utf8")).toBe("a 60 IN A 192.0.2.1\n");
      const path = join(folder, "main.vmform.yaml");
      const command = '{ command: [node, -e, "console.log(process.env.TOKEN)"] }';
      writeFileSync(path, readFileSync(path, "utf8").replace("{ env: NOBODY }", command));
      expect(await run(folder, ...apply)).toMatchObject({ code: 0, stderr: "" });
      expect((await run(folder, "plan")).stdout).toContain("No changes.");
      expect(readFileSync(join(folder, "state/state.json"), "utf8")).not.toContain(secret);
    },
  );
});

describe("a package cannot be used", () => {
  it.each(some(unusable.map(named), 1))("$what", async ({ code, expected, description }) => {
    const folder = place(code, description);
    const told = holdBlame(await run(folder, "plan"));
    expect(told).toMatch(expected);
    expect(told).toMatch(
      /main.vmform.yaml:2:\d+: error: Provider package cannot be used \(CFG089\)/,
    );
    expect(told).toContain("vmform-provider-dns@1.0.0");
  });
});

describe("a package fails", () => {
  it.each(some(failing, 1))("where %s", async (what, code, expected) => {
    const told = holdBlame(await run(place(code), "plan"));
    expect(told).toMatch(expected);
    if (what.startsWith("a refusal")) return;
    expect(told).toMatch(/provider package vmform-provider-dns@1.0.0 \(.\/dns\) failed/);
    expect(told).toContain("PKG001");
  });

  it(
    "while it sends: what was done is found, and nothing is done twice",
    onlyInLongRun,
    async () => {
      const session = `{
      send: async (operation, deadlineMs) => {
        await opened.send(operation, deadlineMs);
        throw new TypeError("after the fact");
      },
    }`;
      const folder = place(changed({ session }));
      const applied = await run(folder, ...apply);
      expect(applied).toMatchObject({ code: 0 });
      expect(readFileSync(join(folder, "zone"), "utf8")).toBe("a 300 IN A 192.0.2.1\n");
      expect((await run(folder, "plan")).stdout).toContain("No changes.");
    },
  );

  it(
    "outside of any call: it is told, the run goes on and ends, and a document stays one",
    onlyInLongRun,
    async () => {
      const session = `{
      read: async (wanted) => {
        console.log("said by the package", settings.token);
        void Promise.reject(new Error("floating " + settings.token));
        setTimeout(() => { throw new Error("in a timer"); }, 0);
        setInterval(() => {}, 1000);
        await new Promise((done) => setTimeout(done, 20));
        return opened.read(wanted);
      },
    }`;
      const folder = place(changed({ session }));
      const planned = await run(folder, "plan", "--json");
      expect(planned.code).toBe(0);
      const lines = planned.stdout.split("\n").filter((line) => line !== "");
      expect(lines.map((line) => typeof JSON.parse(line))).toEqual(lines.map(() => "object"));
      expect(planned.stderr).toMatch(/said by the package \*\*\*/);
      expect(planned.stderr).toMatch(
        /provider package .\/dns failed outside of any call: .*floating \*\*\*/,
      );
      expect(planned.stderr).toMatch(/failed outside of any call: Error: in a timer \(PKG001\)/);
      expect(planned.stderr).not.toMatch(/\n\s+at /);
    },
  );

  it("changes nothing of what it is lent", async () => {
    const type = `{
      lower: (request) => {
        "use strict";
        request.inputs.value = "192.0.2.66";
        return one.lower(request);
      },
    }`;
    const told = holdBlame(await run(place(changed({ type })), "plan"));
    expect(told).toMatch(/dns_record.lower: TypeError: Cannot assign to read only property/);
  });
});
