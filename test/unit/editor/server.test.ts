/** `vmform lsp` as an editor uses it: a process of its own, JSON-RPC over its pipes. */

import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startSimulators } from "../../../src/simulators/start.ts";
import { onlyInLongRun, some } from "../../helpers/amount.ts";
import { buildProgram } from "../../helpers/build.ts";
import { expectCode, runInside } from "../../helpers/program.ts";
import { type Editor, openEditor } from "./editor.ts";

const program = buildProgram();
const main = "main.vmform.yaml";

let folder: string;
let editor: Editor;

async function open(): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), "vmform-editor-"));
  editor = await openEditor([process.execPath, program.main, "lsp", "--stdio"], folder);
}

function leave(): void {
  editor.kill();
  rmSync(folder, { recursive: true, force: true });
}

/** Each test begins with an editor and a folder of its own. */
function anEditorEach(): void {
  beforeEach(open);
  afterEach(leave);
}

/** Every test types its file anew. */
function oneEditor(): void {
  beforeAll(open);
  afterAll(leave);
}

function write(files: { readonly [name: string]: string }): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

const declarations = `providers: { daemon: { url: "http://127.0.0.1:1" } }
variables:
  size: { type: integer, default: 3, description: "How many." }
  secret: { type: string, sensitive: true, default: hunter2 }
locals: { prefix: web }
modules: { lab: { source: ./lab } }
data: { daemon_vms.web: { tags: [web] } }
resources:
  daemon_vm.base: { id: base }
  daemon_vm.app:
    for_each: { a: { tag: x, power: on }, "b c": { tag: y, power: off } }
    id: \${each.key}
`;
const lab = { "lab/main.vmform.yaml": "outputs:\n  address: { value: here }\n" };

async function labelsAt(text: string): Promise<readonly string[]> {
  write(lab);
  editor.type(main, `${declarations}${text}`);
  return (await editor.complete()).map(({ label }) => label);
}

describe("completion", () => {
  oneEditor();

  test.each([
    [
      "a root",
      '  daemon_vm.x: { id: "${|" }',
      ["vars", "locals", "module", "data", "path", "vmform", "daemon_vm"],
    ],
    ["variables", '  daemon_vm.x: { id: "${vars.|" }', ["size", "secret"]],
    ["variables, begun", '  daemon_vm.x: { id: "${vars.si|}" }', ["size", "secret"]],
    ["locals", "  daemon_vm.x:\n    id: ${locals.|", ["prefix"]],
    ["modules", "  daemon_vm.x:\n    id: ${module.|", ["lab"]],
    ["outputs of a module", "  daemon_vm.x:\n    id: ${module.lab.|", ["address"]],
    ["resources", "  daemon_vm.x:\n    id: ${daemon_vm.|", ["base", "app", "x"]],
    ["keys", "  daemon_vm.x:\n    id: ${daemon_vm.app[|", ["a", "b c"]],
    ["keys, begun", '  daemon_vm.x:\n    id: ${daemon_vm.app["b|', ["a", "b c"]],
    ["types of data", "  daemon_vm.x:\n    id: ${data.|", ["daemon_vms"]],
    ["each", "  daemon_vm.x:\n    for_each: [a]\n    id: ${each.|", ["key", "value"]],
    [
      "members of each",
      "  daemon_vm.x:\n    for_each: { q: { one: 1 } }\n    id: ${each.value.|",
      ["one"],
    ],
    ["an emoji before it", '  daemon_vm.x: { id: "😀😀 ${vars.|" }', ["size", "secret"]],
    ["nothing outside of expressions", "  daemon_vm.x:\n    id: vars.|", []],
    ["nothing in a literal", '  daemon_vm.x: { id: "$${vars.|" }', []],
  ])("%s", async (_what, text, expected) => {
    expect(await labelsAt(text)).toEqual(expected);
  });

  test("attributes of a resource, of an instance and of a data source", async () => {
    for (const name of ["daemon_vm.base", 'daemon_vm.app["a"]', "daemon_vm.app[each.key]"]) {
      expect(await labelsAt(`  daemon_vm.x:\n    id: \${${name}.|`)).toContain("ip_address");
    }
    expect(await labelsAt("  daemon_vm.x:\n    id: ${data.daemon_vms.web.|")).toContain("ids");
  });

  test("types, where a resource or a data source begins", async () => {
    expect(await labelsAt("  dae|")).toEqual(
      expect.arrayContaining(["daemon_vm", "daemon_shared_folder"]),
    );
    expect(await labelsAt("  daemon_vm.|")).toEqual([]);
  });

  test("addresses where one stands without an expression", async () => {
    const labels = await labelsAt("  daemon_vm.x:\n    id: x\n    depends_on: [|]");
    expect(labels).toEqual(
      expect.arrayContaining(["daemon_vm.base", "data.daemon_vms.web", "module.lab"]),
    );
    expect(
      await labelsAt("  daemon_vm.x:\n    id: x\n    depends_on:\n      - daemon_vm.b|"),
    ).toContain("base");
  });

  test("replaces what was typed, and closes a key", async () => {
    write(lab);
    editor.type(main, `${declarations}  daemon_vm.x:\n    id: \${daemon_vm.app["b|`);
    const [first] = await editor.complete();
    expect(first?.textEdit).toMatchObject({
      newText: '"a"]',
      range: { start: { character: 24 }, end: { character: 26 } },
    });
  });
});

describe("definition", () => {
  oneEditor();

  test.each([
    ["a variable", "${vars.si|ze}", main, 2, 2],
    ["a local", "${locals.pre|fix}", main, 4, 10],
    ["a resource", "${daemon_vm.ba|se.id}", main, 8, 2],
    ["an attribute that is written", "${daemon_vm.base.i|d}", main, 8, 20],
    ["an attribute that is not", "${daemon_vm.base.ip_add|ress}", main, 8, 2],
    ["a key", '${daemon_vm.app["b |c"].id}', main, 10, 42],
    ["a module", "${module.la|b.address}", main, 5, 11],
    ["an output of a module", "${module.lab.addr|ess}", "lab/main.vmform.yaml", 1, 2],
  ])("%s", async (_what, text, file, line, character) => {
    write(lab);
    editor.type(main, `${declarations}outputs:\n  o: { value: '${text}' }\n`);
    const found = await editor.definition();
    expect(found?.uri.endsWith(`/${file}`)).toBe(true);
    expect(found?.range.start).toEqual({ line, character });
  });

  test("an address without an expression", async () => {
    editor.type(main, `${declarations}moved:\n  - { from: daemon_vm.old, to: daemon_vm.ba|se }\n`);
    expect((await editor.definition())?.range.start).toEqual({ line: 8, character: 2 });
  });

  test("nothing for what is not there", async () => {
    editor.type(main, `${declarations}outputs: { o: { value: "\${daemon_vm.no|ne.id}" } }\n`);
    expect(await editor.definition()).toBeUndefined();
  });
});

describe("problems", () => {
  anEditorEach();

  test("come and go while somebody types, from text that is not saved", async () => {
    editor.type(main, "resources:\n  daemon_vm.a: { id: a, nam: x }\n");
    const [problem] = await editor.problems(main, (all) => all.length > 0);
    expect(problem).toMatchObject({
      code: "CFG013",
      range: { start: { line: 1, character: 24 }, end: { line: 1, character: 27 } },
    });
    editor.type(main, "resources:\n  daemon_vm.a: { id: a, name: x }\n");
    expect(await editor.problems(main, (all) => all.length === 0)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("columns are those of UTF-16, lines those of CRLF", async () => {
    editor.type(
      main,
      'locals: { x: "é" }\r\nresources:\r\n  daemon_vm.a: { id: "😀😀", nam: x }\r\n',
    );
    const all = await editor.problems(main, (found) => found.some(({ code }) => code === "CFG013"));
    const problem = all.find(({ code }) => code === "CFG013");
    expect(problem?.range.start).toEqual({ line: 2, character: 29 });
  });

  test("of a module are those of how it is called", async () => {
    write({ [main]: "modules: { lab: { source: ./lab, inputs: { size: 1 } } }\n" });
    editor.type(
      "lab/main.vmform.yaml",
      "variables: { size: { type: integer } }\noutputs: { o: { value: '${vars.sise}' } }\n",
    );
    mkdirSync(join(folder, "lab"));
    const all = await editor.problems("lab/main.vmform.yaml", (found) => found.length > 0);
    expect(all.map(({ message }) => message).join("\n")).toContain("vars.sise");
  });
});

describe("hover", () => {
  anEditorEach();

  test("tells a variable, and nothing of a sensitive one", async () => {
    editor.type(main, `${declarations}outputs: { o: { value: "\${vars.si|ze}" } }\n`);
    expect(await editor.hover()).toBe("**vars.size** (variable)\n\nHow many.\n\nDefault: `3`");
    editor.type(main, `${declarations}outputs: { o: { value: "\${vars.sec|ret}" } }\n`);
    expect(await editor.hover()).not.toContain("hunter2");
  });

  test("tells what is wanted, as far as it is known, and no secret", async () => {
    const text = `providers: { daemon: { url: "http://127.0.0.1:9" } }
variables: { word: { type: string, sensitive: true, default: hunter2 } }
resources:
  daemon_vm.base: { id: base, name: '\${"NE" + "W"}' }
  daemon_vm.copy:
    for_each: [a, b]
    id: "copy-\${each.key}"
    name: "\${daemon_vm.base.ip_address}"
`;
    editor.type(main, text.replace("daemon_vm.base:", "daemon_vm.ba|se:"));
    expect(await editor.hover()).toMatch(
      /Wanted:\n\n- `daemon_vm\.base`\n(.*\n)* {2}- name: `NEW`\n(.*\n)*\nNothing is recorded/,
    );
    editor.type(main, `${text}outputs: { o: { value: '\${daemon_vm.copy["b"].na|me}' } }\n`);
    expect(await editor.hover()).toContain('- `daemon_vm.copy["b"]`: (known after apply)');
    expect(await editor.hover()).not.toContain('copy["a"]');
    // A secret that stands where it must not is told of by a problem, and by nothing else.
    const leaking = text.replace('"NE" + "W"', "vars.word");
    editor.type(main, leaking.replace("daemon_vm.base:", "daemon_vm.ba|se:"));
    expect(await editor.hover()).not.toContain("hunter2");
    expect(await editor.hover()).not.toContain("Wanted");
    editor.type(main, `${text.replace("daemon_vm.base:", "daemon_vm.ba|se:")}: [`);
    expect(await editor.hover()).toContain("Nothing is recorded of it.");
    write({ "state/default.json": "{" });
    expect(await editor.hover()).toContain("What is recorded of it cannot be read now.");
  });

  test("asks no server of recorded state, and runs no program for its login", async () => {
    const ran = join(folder, "ran");
    const command = `[touch, ${JSON.stringify(ran)}]`;
    const database = `{ url: "postgres://127.0.0.1:9/a", password: { command: ${command} } }`;
    const text = `vmform: { state: { postgres: ${database} } }
providers: { daemon: { url: "http://127.0.0.1:9" } }
resources:
  daemon_vm.ba|se: { id: base }
`;
    editor.type(main, text);
    expect(await editor.hover()).toContain("What is recorded of it is on a server");
    expect(existsSync(ran)).toBe(false);
  });

  test("tells what is recorded, beside an apply that holds the lock, without a request", async () => {
    const simulators = await startSimulators({
      world: { daemon: { vms: { base: { power: "on", name: "Old" } } } },
    });
    try {
      const text = `providers: { daemon: { url: "${simulators.origins.daemon}" } }
resources:
  daemon_vm.base: { id: base, name: Old }
`;
      write({ [main]: text });
      const words = ["import", "daemon_vm.base", "base"];
      expectCode(0, words, await runInside(folder, words));
      const sent = simulators.log().length;
      editor.type(main, `${text}outputs: { o: { value: "\${daemon_vm.base.na|me}" } }\n`);
      expect(await editor.hover()).toMatch(/Recorded:\n\n- `daemon_vm\.base`: `Old`$/);
      editor.type(
        main,
        `${text.replace("Old", "New")}outputs: { o: { value: "\${daemon_vm.base.na|me}" } }\n`,
      );
      expect(await editor.hover()).toMatch(
        /Wanted:\n\n- `daemon_vm\.base`: `New`\n\nRecorded:\n\n- `daemon_vm\.base`: `Old`$/,
      );
      editor.type(main, text.replace("daemon_vm.base:", "daemon_vm.ba|se:"));
      expect(await editor.hover()).toMatch(/- `daemon_vm\.base`\n(.*\n)* {2}- name: `Old`/);
      expect(simulators.log()).toHaveLength(sent);
    } finally {
      await simulators.stop();
    }
  });
});

describe("never ends by", () => {
  anEditorEach();

  const texts: readonly (readonly [string, string])[] = [
    ["broken YAML", "resources: {{{ a: [\n\t- x: 'y\n  : ${| ]]"],
    ["tabs", "resources:\n\tdaemon_vm.a:\n\t\tid: ${vars.|"],
    ["lone surrogates and control characters", "locals: { x: '\ud800 \u0000', y: '${vars.|' }"],
    ["deep nesting", `locals: { x: ${"[".repeat(5000)}|`],
    [
      "aliases of aliases",
      `locals:\n  a: &a [x, x]\n${Array.from({ length: 30 }, (_, index) => `  b${index}: &b${index} [*${index === 0 ? "a" : `b${index - 1}`}, *${index === 0 ? "a" : `b${index - 1}`}]\n`).join("")}  c: \${locals.|`,
    ],
    ["a long line", `locals: { x: "${"${vars.".repeat(100_000)}|`],
    ["names of objects' own members", "locals: { x: '${constructor.prototype.|' }"],
    ["an empty file", "|"],
  ];

  test.each(some(texts, 2))("%s", async (_what, text) => {
    editor.type(main, text);
    await editor.problems(main);
    await editor.complete();
    await editor.hover();
    await editor.definition();
    expect(await editor.end()).toBe(0);
    expect(editor.stderr()).toBe("");
  });

  test("a file of ten megabytes, which is told not to be checked", onlyInLongRun, async () => {
    const line = "  daemon_vm.a: { id: a, name: something of some length }\n";
    editor.type(main, `|resources:\n${line.repeat(Math.ceil(1e7 / line.length))}`);
    const [problem] = await editor.problems(main);
    expect(problem?.message).toContain("vmform validate");
    expect(await editor.complete()).toEqual([]);
    expect(await editor.end()).toBe(0);
  });

  test("a folder and a file that are deleted while open", async () => {
    write({ [main]: declarations, ...lab });
    editor.type(main, `${declarations}outputs: { o: { value: "\${vars.|" } }\n`);
    await editor.problems(main);
    rmSync(folder, { recursive: true });
    expect((await editor.complete()).map(({ label }) => label)).toEqual(["size", "secret"]);
    editor.type(main, "resources: { daemon_vm.a: { nam: x } }\n");
    const all = await editor.problems(main, (found) => found.some(({ code }) => code === "CFG013"));
    expect(all).not.toEqual([]);
    editor.close(main);
    expect(await editor.end()).toBe(0);
  });

  test("a cursor behind the end, and a document that was never opened", async () => {
    editor.type("other.txt", "|");
    expect(await editor.complete()).toEqual([]);
    expect(await editor.hover()).toBeUndefined();
    expect(await editor.end()).toBe(0);
  });
});
