/**
 * Every configuration below `test/golden/config`, beside what was accepted for it: all diagnostics
 * as people see them, and what was loaded. `vitest -u` accepts.
 */

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Configuration } from "../../../src/config/load.ts";
import { stringifyJson } from "../../../src/lib/json.ts";
import type { DesiredData } from "../../../src/model/plan/desired.ts";
import { isUnknown, type PlannedValue } from "../../../src/model/value/value.ts";
import { diagnosticsText } from "../../../src/render/text/diagnostic-text.ts";
import { displayColumns } from "../../../src/render/text/styled-line.ts";
import { type LoadOptions, loadConfig } from "../../helpers/load-config.ts";
import { foldersOf } from "../../helpers/module-folders.ts";

const golden = new URL("../../golden/config/", import.meta.url);
const cases = readdirSync(golden).toSorted();

test("there are cases", () => {
  expect(cases.length).toBeGreaterThan(40);
});

describe.each(cases)("%s", (name) => {
  const folder = new URL(`${name}/`, golden);
  const { value, diagnostics } = loadConfig(filesOf(folder), {
    policyFiles: policyFilesOf(folder),
    variables: givenOf(folder),
    readFolder: foldersOf(filesBelow(folder)),
    nowMs: Date.UTC(2026, 2, 1, 12),
  });

  test("gives what was accepted", async () => {
    const text = diagnosticsText(diagnostics, { color: false });
    const loaded = value === undefined ? "Nothing is loaded.\n" : describeConfiguration(value);
    const expected = text === "" ? loaded : `${text}\n\n${loaded}`;
    await expect(expected).toMatchFileSnapshot(new URL("expected.txt", folder).pathname);
  });

  test("shows no secret, and fits a narrow terminal", () => {
    const text = diagnosticsText(diagnostics, { color: false, width: 40 });
    expect(text).not.toContain("hunter2");
    for (const line of text.split("\n")) expect(displayColumns(line)).toBeLessThanOrEqual(40);
  });
});

/** By path below the folder; those in folders below are of modules. */
function filesBelow(folder: URL): { [path: string]: Uint8Array } {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return Object.fromEntries(
    paths
      .filter((path) => path.endsWith(".vmform.yaml"))
      .map((path) => [path, readFileSync(new URL(path, folder))]),
  );
}

function filesOf(folder: URL): { [name: string]: Uint8Array } {
  return Object.fromEntries(
    Object.entries(filesBelow(folder)).filter(([path]) => !path.includes("/")),
  );
}

function policyFilesOf(folder: URL): readonly { name: string; bytes: Uint8Array }[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".vmformpolicy.yaml"));
  return names.map((name) => ({ name, bytes: readFileSync(new URL(name, folder)) }));
}

type Given = { cli: string[]; environment: { [name: string]: string }; variableFiles: string[] };

function givenOf(folder: URL): NonNullable<LoadOptions["variables"]> {
  if (!readdirSync(folder).includes("given.json")) return {};
  const given = JSON.parse(readFileSync(new URL("given.json", folder), "utf8")) as Given;
  return {
    cli: given.cli.map((text) => {
      const at = text.indexOf("=");
      return { name: text.slice(0, at), text: text.slice(at + 1) };
    }),
    environment: given.environment,
    files: given.variableFiles.map((name) => ({
      name,
      bytes: readFileSync(new URL(name, folder)),
    })),
  };
}

function describeConfiguration(configuration: Configuration): string {
  const { settings, providers, data, instances, outputs, moved, removed, imports } = configuration;
  const lines = [`settings ${stringifyJson(settings)}`];
  for (const { name, settings: own } of providers) {
    lines.push(`provider ${name} ${stringifyJson(own)}`);
  }
  for (const source of data) {
    lines.push(`data source ${source.address} of ${source.provider}`, ...describeObject(source));
  }
  for (const instance of instances) {
    lines.push(`instance ${instance.address} of ${instance.provider}`, ...describeObject(instance));
    const { preventDestroy, createBeforeDestroy, ignoreChanges } = instance.lifecycle;
    if (preventDestroy || createBeforeDestroy || ignoreChanges.length > 0) {
      lines.push(`  lifecycle ${stringifyJson(instance.lifecycle)}`);
    }
    for (const { address, attribute } of instance.triggers ?? []) {
      lines.push(`  made anew for ${address}${attribute === undefined ? "" : ` ${attribute}`}`);
    }
    if (Object.keys(instance.timeoutsMs).length > 0) {
      lines.push(`  limits in ms ${stringifyJson(instance.timeoutsMs)}`);
    }
  }
  for (const output of outputs) {
    const { value } = output.resolve(() => undefined);
    const shownValue = output.sensitive ? "(sensitive)" : shown(value);
    lines.push(`output ${output.name}: ${shownValue}`);
  }
  for (const check of configuration.checks ?? []) {
    const result = check.resolve(() => undefined);
    const message = "message" in result ? `, else ${result.message}` : "";
    lines.push(`check ${check.name}: ${result.status}${message}`);
  }
  for (const { name, over, level, zone, windowed } of configuration.policies ?? []) {
    const time = zone === undefined ? "" : `, ${windowed === true ? "windows" : "time"} in ${zone}`;
    lines.push(`policy ${name} over ${over}: ${level}${time}`);
  }
  for (const { from, to } of moved) lines.push(`moved ${from} to ${to}`);
  for (const { from, destroy } of removed) {
    lines.push(`removed ${from}, ${destroy ? "destroyed" : "kept"}`);
  }
  for (const { to, id } of imports) lines.push(`import ${id} to ${to}`);
  return `${lines.join("\n")}\n`;
}

function describeObject(object: DesiredData): readonly string[] {
  const { attributes, deferred, diagnostics } = object.resolve(() => undefined);
  const lines = Object.entries(attributes).map(([name, value]) => {
    const template = deferred[name]?.template;
    return `  ${name}: ${shown(value)}${template === undefined ? "" : ` from ${template}`}`;
  });
  for (const condition of object.conditions ?? []) {
    const result = condition.resolve(() => undefined);
    const message = "message" in result ? `, else ${result.message}` : "";
    const values = "values" in result ? ` (${result.values})` : "";
    lines.push(`  ${condition.kind}: ${result.status}${message}${values}`);
  }
  for (const { detail } of diagnostics) lines.push(`  problem: ${detail}`);
  if (object.data.length > 0) lines.push(`  needs ${object.data.join(", ")}`);
  if (object.dependencies.length > 0) lines.push(`  after ${object.dependencies.join(", ")}`);
  return lines;
}

function shown(value: PlannedValue): string {
  if (isUnknown(value)) return "(unknown)";
  if (value === null || typeof value !== "object") return stringifyJson(value);
  if (Array.isArray(value)) return `[${(value as PlannedValue[]).map(shown).join(", ")}]`;
  const members = Object.entries(value).map(([name, member]) => `${name}: ${shown(member)}`);
  return `{${members.join(", ")}}`;
}
