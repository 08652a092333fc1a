/** Every example does what it shows, from the first plan to the last destroy, as users run it. */

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { compileSchema } from "../../src/lib/schema/schema.ts";
import { some } from "../helpers/amount.ts";
import { buildProgram } from "../helpers/build.ts";
import { copyExample, exampleNames, root } from "./copy.ts";
import { type Ended, runNode } from "./program.ts";

/** What each example needs consent to; its comments say so. */
const consent: { readonly [example: string]: readonly string[] } = {
  folders: ["--allow", "power-cycle"],
  cloud: ["--allow", "power-off,power-cycle"],
  reclaim: ["--allow", "power-cycle,reclaim"],
  appliance: ["--allow", "grow"],
  platform: ["--allow", "grow,power-off,reclaim"],
};

const names = exampleNames();
/** Others resize disks, which takes its time in simulated worlds too. */
const shortestFirst = ["quickstart", ...names.filter((name) => name !== "quickstart")];
const program = buildProgram();

describe.concurrent("example", () => {
  it.each(some(shortestFirst, 1))("%s", async (name) => {
    const copy = copyExample(name);
    const run = (...words: readonly string[]): Promise<Ended> =>
      runNode(program.main, words, copy.folder);
    try {
      expect(await run("validate")).toMatchObject({ code: 0, stderr: "" });
      expect(await run("plan", "--detailed-exitcode")).toMatchObject({ code: 2, stderr: "" });
      const allow = consent[name];
      if (allow !== undefined) {
        const refused = await run("apply", "--auto-approve");
        expect(refused).toMatchObject({ code: 1 });
        expect(refused.stderr).toContain(allow.join(" "));
      }
      const applied = await run("apply", "--auto-approve", ...(allow ?? []));
      expect(applied).toMatchObject({ code: 0, stderr: "" });
      expect(applied.stdout).toMatch(
        /Apply complete! Resources: .*[1-9]\d* (added|changed), .*0 dest/,
      );
      const second = await run("plan", "--detailed-exitcode");
      expect(second.stdout).toContain("No changes.");
      expect(second).toMatchObject({ code: 0, stderr: "" });
      const drift = await run("drift");
      expect(drift.stdout).toContain("No drift.");
      expect(drift).toMatchObject({ code: 0, stderr: "" });
      expect((await run("state", "list")).stdout).not.toBe("");
      expect(await run("destroy", "--auto-approve")).toMatchObject({ code: 0, stderr: "" });
      expect(await run("state", "list")).toMatchObject({ code: 0, stdout: "", stderr: "" });
    } finally {
      copy.remove();
    }
  });
});

it("files that a configuration names are found from any folder", async () => {
  const copy = copyExample("cloud");
  try {
    const words = ["plan", "--detailed-exitcode", "--chdir", copy.folder];
    expect(await runNode(program.main, words, "/")).toMatchObject({ code: 2, stderr: "" });
  } finally {
    copy.remove();
  }
});

describe("the files of the examples", () => {
  it("are there", () => {
    const known = ["quickstart", "folders", "fleet", "cloud", "appliance", "reclaim", "platform"];
    expect(names).toEqual(expect.arrayContaining(known));
  });

  const shipped = join(root, "schemas", "vmform.schema.json");
  const checkShipped = compileSchema(JSON.parse(readFileSync(shipped, "utf8")) as object);
  const files = names.flatMap((name) =>
    readdirSync(join(root, "examples", name))
      .filter((file) => file.endsWith(".vmform.yaml"))
      .map((file) => join("examples", name, file)),
  );
  it.each(files)("%s names the editor's schema and is accepted by it", async (file) => {
    const text = readFileSync(join(root, file), "utf8");
    const named = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text)?.[1] ?? "";
    const path = resolve(root, file, "..", named);
    const isOfPackage = file.startsWith(join("examples", "provider"));
    expect(path).toBe(isOfPackage ? resolve(root, file, "../vmform.schema.json") : shipped);
    // The types of a package are known to who asks for the schema where it is named.
    const asked = isOfPackage && (await runNode(program.main, ["schema"], join(path, "..")));
    const check = asked ? compileSchema(JSON.parse(asked.stdout) as object) : checkShipped;
    expect(check(parse(text))).toEqual([]);
  });
});
