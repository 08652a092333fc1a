/** `vmform drift` against a simulated daemon: quiet when nothing happened, exact when it did. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { compileSchema } from "../../../../src/lib/schema/schema.ts";
import type { DriftReport } from "../../../../src/model/plan/drift-report.ts";
import { typeRegistry } from "../../../../src/providers/registry.ts";
import { onlyInLongRun } from "../../../helpers/amount.ts";
import type { Output } from "../../../helpers/program.ts";
import { type Workplace, workplace } from "../command-line.ts";

const fast = { create: 1, clone: 1, power_on: 1, tools: 1, address: 1, power_off: 1, shutdown: 1 };
const world = { daemon: { durations_ms: { ...fast, suspend: 1, resume: 1 } } };

/** Every resource type, with every attribute that can be set. */
const everyType = `providers: { daemon: { url: DAEMON }, noop: {} }
resources:
  daemon_vm.base: { id: base, name: Golden, tag: gold, power: off }
  daemon_vm.app:
    count: 3
    id: "app-\${count.index}"
    name: "App \${count.index}"
    parent_id: \${daemon_vm.base.id}
    tag: app
    power: on
    folder_sharing: true
    shutdown_timeout: 9s
  daemon_vm.asleep: { id: asleep, power: suspended }
  daemon_vm.tagged: { id: tagged, tag: "\${daemon_vm.base.power_state}", power: on }
  daemon_shared_folder.src:
    vm_id: \${daemon_vm.app[0].id}
    guest_path: src
    host_path: /src
    writable: false
  daemon_shared_folder.default: { vm_id: "\${daemon_vm.app[1].id}", guest_path: d, host_path: /d }
  noop_resource.n: { name: n, value: v, trigger: t, task_duration: 1ms }
outputs: { where: { value: "\${daemon_vm.app[0].ip_address}" } }
`;

async function applied(configuration = everyType): Promise<Workplace> {
  const place = await workplace(world);
  place.write({ "main.vmform.yaml": configuration });
  expect(await place.run("apply", "--auto-approve")).toMatchObject({ code: 0, stderr: "" });
  return place;
}

async function drift(place: Workplace, ...words: string[]): Promise<DriftReport> {
  return (await place.json("drift", ...words)) as unknown as DriftReport;
}

function mutations({ daemon }: Workplace): number {
  return daemon.log().filter((entry) => entry.class === "mutate").length;
}

function findings({ objects }: DriftReport): readonly string[] {
  return objects.flatMap(({ address, drifted, unapplied }) =>
    [...drifted, ...unapplied].map((item) => `${address} ${item.attribute} ${item.class}`),
  );
}

const schemaUrl = new URL("../../../../schemas/drift-report.schema.json", import.meta.url);
const check = compileSchema(JSON.parse(readFileSync(schemaUrl, "utf8")) as object);

describe("after an apply", () => {
  // Those of the other interfaces are attached to what is there: test/e2e has them.
  test(
    "there are no findings, for every resource type that is made here",
    onlyInLongRun,
    async () => {
      const place = await applied();
      const before = mutations(place);
      const report = await drift(place);
      expect(check(report)).toEqual([]);
      expect(new Set(report.objects.map(({ type }) => type))).toEqual(
        new Set(Object.keys(typeRegistry()).filter((type) => /^(daemon|noop)_/.test(type))),
      );
      expect(findings(report)).toEqual([]);
      expect(report).toMatchObject({
        causes: [],
        unmanaged: [],
        unlisted: [],
        diagnostics: [],
        configuration: { status: "read", not_recorded: [] },
      });
      const verdicts = report.objects.filter(({ verdict }) => verdict !== "in_sync");
      expect(verdicts.map(({ address }) => address)).toEqual(["noop_resource.n"]);
      expect(report.objects.every(({ configured }) => configured === true)).toBe(true);
      expect(await place.run("drift")).toMatchObject({ code: 0, stderr: "" });
      expect(mutations(place)).toBe(before);
    },
  );

  test("an edit of the configuration is listed, and no drift", async () => {
    const place = await applied();
    place.write({
      "main.vmform.yaml": everyType
        .replace("tag: gold", "tag: silver")
        .replace("folder_sharing: true", "folder_sharing: false")
        .replace("count: 3", "count: 2")
        .replace("id: asleep, power: suspended", "id: asleep, power: on"),
    });
    const report = await drift(place);
    expect(findings(report)).toEqual([
      "daemon_vm.app[0] folder_sharing config-change",
      "daemon_vm.app[1] folder_sharing config-change",
      "daemon_vm.asleep power_state config-change",
      "daemon_vm.base tag config-change",
    ]);
    const gone = report.objects.filter(({ configured }) => configured === false);
    expect(gone.map(({ address }) => address)).toEqual(["daemon_vm.app[2]"]);
    expect((await place.run("drift")).code).toBe(0);
  });
});

async function meddled(): Promise<Workplace> {
  const place = await applied();
  for (const id of ["app-0", "app-2"]) {
    await place.daemon.change({ power_vm: { id, power: "off" } });
  }
  await place.daemon.change({ rename_vm: { id: "app-1", name: "Mine" } });
  await place.daemon.change({ delete_vm: { id: "base" } });
  await place.daemon.change({ create_vm: { id: "stray" } });
  return place;
}

function runSuggested(place: Workplace, command: string, ...more: string[]): Promise<Output> {
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? "",
  );
  const folder = words.indexOf("--chdir");
  expect(words[0]).toBe("vmform");
  expect(words[folder + 1]).toBe(place.folder);
  return place.run(...words.slice(1, folder), ...more);
}

function commandOf(report: DriftReport, address: string, purpose: string): string {
  const object = report.objects.find((item) => item.address === address);
  const suggestion = object?.suggestions.find((item) => item.purpose === purpose);
  return suggestion?.command ?? `no command to ${purpose} ${address}`;
}

describe("changes behind our back", () => {
  test("are found, grouped by cause, and told from what nobody could look at", async () => {
    const place = await meddled();
    const report = await drift(place);
    expect(check(report)).toEqual([]);
    expect(findings(report)).toEqual([
      "daemon_vm.app[0] power_state drift",
      "daemon_vm.app[1] name drift",
      "daemon_vm.app[2] power_state drift",
    ]);
    expect(report.causes).toMatchObject([
      { verdict: "drifted", addresses: ["daemon_vm.app[0]", "daemon_vm.app[2]"] },
    ]);
    expect(report.counts).toMatchObject({ drifted: 3, missing: 1, unmanaged: 1, unknown: 0 });
    const verdicts = new Map(report.objects.map((item) => [item.address as string, item.verdict]));
    expect(verdicts.get("daemon_vm.base")).toBe("missing");
    expect(verdicts.get("daemon_shared_folder.src")).toBe("not_checked");
    expect((await place.run("drift")).code).toBe(2);
  });

  test("fingerprints stay the same from one report to the next", onlyInLongRun, async () => {
    const place = await meddled();
    const prints = (report: DriftReport): readonly (string | undefined)[] => [
      ...report.objects.flatMap((object) => [
        object.fingerprint,
        ...object.drifted.map(({ fingerprint }) => fingerprint),
      ]),
      ...(report.unmanaged ?? []).map(({ fingerprint }) => fingerprint),
    ];
    const first = prints(await drift(place));
    await place.daemon.change({ rename_vm: { id: "app-1", name: "Yours" } });
    expect(prints(await drift(place))).toEqual(first);
    expect(first.filter((item) => item !== undefined)).toHaveLength(5);
  });

  test("one is restored by its command, and the others are not forgotten", async () => {
    const place = await meddled();
    const command = commandOf(await drift(place), "daemon_vm.app[2]", "restore");
    expect(await runSuggested(place, command, "--auto-approve")).toMatchObject({ code: 0 });
    expect(findings(await drift(place))).toEqual([
      "daemon_vm.app[0] power_state drift",
      "daemon_vm.app[1] name drift",
    ]);
  });

  test("one is accepted by its command, and the others stay drift", async () => {
    const place = await meddled();
    const before = mutations(place);
    const command = commandOf(await drift(place), "daemon_vm.app[0]", "accept");
    expect(await runSuggested(place, command, "--auto-approve")).toMatchObject({ code: 0 });
    expect(mutations(place)).toBe(before);
    expect(findings(await drift(place))).toEqual([
      "daemon_vm.app[0] power_state config-change",
      "daemon_vm.app[1] name drift",
      "daemon_vm.app[2] power_state drift",
    ]);
  });

  test("a missing object is forgotten by its command", async () => {
    const place = await meddled();
    const command = commandOf(await drift(place), "daemon_vm.base", "forget");
    expect(await runSuggested(place, command)).toMatchObject({ code: 0 });
    const { counts, configuration } = await drift(place);
    expect(counts.missing).toBe(0);
    expect(configuration).toMatchObject({ not_recorded: ["daemon_vm.base"] });
  });

  test("an unmanaged object that is wanted by now is imported by its command", async () => {
    const place = await meddled();
    const more = everyType.replace("resources:\n", "resources:\n  daemon_vm.x: { id: stray }\n");
    place.write({ "main.vmform.yaml": more });
    const { unmanaged } = await drift(place);
    const [command = ""] = unmanaged?.[0]?.suggestions.map((item) => item.command) ?? [];
    expect(command).toContain("import daemon_vm.x stray");
    expect(await runSuggested(place, command)).toMatchObject({ code: 0 });
    expect((await drift(place)).unmanaged).toEqual([]);
  });
});

describe("what the report rests on", () => {
  test("a configuration with errors only takes its own column", async () => {
    const place = await meddled();
    const whole = await drift(place);
    place.write({ "main.vmform.yaml": everyType.replace("daemon_vm.base.id", "daemon_vm.no.id") });
    const report = await drift(place);
    expect(findings(report)).toEqual(findings(whole));
    expect(report.configuration).toEqual({ status: "unreadable", errors: 1 });
    expect(report.objects.flatMap(({ drifted }) => drifted.map((d) => d.desired))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    const { code, stdout } = await place.run("drift");
    // What a configuration says could not be compared: more than drift, it was not checked.
    expect(code).toBe(1);
    expect(stdout).toContain("The configuration has 1 error");
  });

  test("ignore_changes mutes what it names", onlyInLongRun, async () => {
    const ignoring = everyType.replace(
      "    tag: app\n",
      "    tag: app\n    lifecycle: { ignore_changes: [power] }\n",
    );
    const place = await applied(ignoring);
    await place.daemon.change({ power_vm: { id: "app-2", power: "off" } });
    expect(findings(await drift(place))).toEqual([]);
    expect((await place.run("drift")).stdout).toContain("left to others by ignore_changes");
  });

  test("an endpoint that cannot be read makes the report incomplete, not empty", async () => {
    const place = await applied();
    place.write({
      "main.vmform.yaml": everyType.replace("DAEMON", "'http://127.0.0.1:9'"),
    });
    const { code, stdout } = await place.run("drift");
    expect(code).toBe(1);
    expect(stdout).toContain("Could not be checked:");
    expect(stdout).toContain("Objects of daemon could not be listed");
    const report = await drift(place);
    expect(report.counts).toMatchObject({ unknown: 8, missing: 0 });
    expect(report.causes).toMatchObject([{ verdict: "unknown", type: "daemon_shared_folder" }, {}]);
  });

  test("most objects missing at once is an error in every form", async () => {
    const place = await applied();
    for (const id of ["app-0", "app-1", "app-2", "base"]) {
      await place.daemon.change({ delete_vm: { id } });
    }
    expect(await drift(place)).toMatchObject({ diagnostics: [{ code: "PLN013" }] });
    const text = await place.run("drift");
    expect(text).toMatchObject({ code: 1 });
    expect(text.stderr).toContain("PLN013");
    expect((await place.run("drift", "--format", "markdown")).stdout).toContain("PLN013");
  });

  test("objects follow their moved entries", onlyInLongRun, async () => {
    const place = await meddled();
    place.write({
      "main.vmform.yaml": everyType
        .replaceAll("daemon_vm.app", "daemon_vm.node")
        .concat("moved: [{ from: daemon_vm.app, to: daemon_vm.node }]\n"),
    });
    expect(findings(await drift(place))).toEqual([
      "daemon_vm.node[0] power_state drift",
      "daemon_vm.node[1] name drift",
      "daemon_vm.node[2] power_state drift",
    ]);
  });
});

describe("options", () => {
  test("--target and --exclude choose what is looked at", async () => {
    const place = await meddled();
    const some = await drift(place, "--target", "daemon_vm.app", "--exclude", "daemon_vm.app[0]");
    expect(some.objects.map(({ address }) => address)).toEqual([
      "daemon_vm.app[1]",
      "daemon_vm.app[2]",
    ]);
    expect(some).toMatchObject({ partial: true, configuration: { not_recorded: [] } });
    expect(some.unmanaged).toBeUndefined();
    const one = await place.run("drift", "--target", "daemon_vm.asleep");
    expect(one).toMatchObject({ code: 0 });
    const none = await place.run("drift", "--target", "daemon_vm.nothing");
    expect(none).toMatchObject({ code: 1 });
    expect(none.stderr).toContain("daemon_vm.nothing");
  });

  test("--format markdown is the only thing on standard output", async () => {
    const place = await meddled();
    const { code, stdout, stderr } = await place.run("drift", "--format", "markdown");
    expect(code).toBe(2);
    expect(stdout.startsWith("## vmform drift\n")).toBe(true);
    expect(stderr).toContain("Refresh");
    const cut = await place.run("drift", "--format", "markdown", "--max-bytes", "1000");
    expect(Buffer.byteLength(cut.stdout)).toBeLessThanOrEqual(1001);
    expect(cut.stdout).toContain("left out to fit");
    expect(await place.run("drift", "--max-bytes", "999")).toMatchObject({ code: 1 });
  });

  test("--format json is --json", onlyInLongRun, async () => {
    const place = await applied();
    const { stdout } = await place.run("drift", "--format", "json");
    expect(check(JSON.parse(stdout))).toEqual([]);
  });

  test("--out writes the report in its form, and text is shown beside", async () => {
    const place = await meddled();
    const markdown = join(place.folder, "drift.md");
    const shown = await place.run("drift", "--format", "markdown", "--out", markdown);
    expect(shown).toMatchObject({ code: 2 });
    expect(shown.stdout).toContain("  # daemon_vm.base is missing");
    expect(readFileSync(markdown, "utf8")).toMatch(/^## vmform drift\n[^]*<\/details>\n$/);
    const file = join(place.folder, "drift.json");
    await place.run("drift", "--out", file, "--format", "json");
    expect(check(JSON.parse(readFileSync(file, "utf8")))).toEqual([]);
  });
});
