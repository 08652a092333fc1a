/**
 * Reads a file of tests: bytes to runs, each with its places. Pure; every problem is reported.
 * `test-roots.ts` says what names its conditions may use.
 */

import { memberNode, type YamlMap, type YamlNode } from "../../lib/yaml/yaml.ts";
import { type Consent, disruptions, isConsent } from "../../model/operation/disruption.ts";
import { toAddress, toSelector } from "../../model/value/address.ts";
import { addressAdvice } from "../../model/value/address-text.ts";
import type { Value, ValueMap } from "../../model/value/value.ts";
import { isList, isMap } from "../../model/value/value.ts";
import { type FileBytes, parseFile } from "../read/document.ts";
import { isNull } from "../read/form/scalar.ts";
import { testRunShape, testShape } from "../read/form/test-schema.ts";
import { type ReadContext, readMembers, readNode } from "../read/read.ts";
import type { ConfigValue } from "../read/value.ts";
import { type Place, placeText, type Report, type SourceFile } from "../report.ts";
import { assertionsIn } from "./assertions.ts";
import { type TestCommand, testCommands } from "./test-roots.ts";
import type { Placed, TestFile, TestRun } from "./tests.ts";
import { instantMs, passingMs } from "./times.ts";

type Members = ReadonlyMap<string, ConfigValue | undefined>;

/** Undefined after a problem was reported. */
export function readTestFile(file: FileBytes, report: Report): TestFile | undefined {
  const before = report.errorCount();
  const { source, documents } = parseFile(file, report);
  if (report.errorCount() > before) return undefined;
  const [root, second] = documents;
  const top: Place = { file: source, start: 0, end: 0 };
  if (root === undefined || (root.kind === "scalar" && isNull(root))) {
    report.add("CFG110", { detail: "The file is empty, so it would test nothing.", place: top });
    return undefined;
  }
  if (root.kind !== "map" || second !== undefined) {
    const detail = "A file of tests is one map, with runs.";
    const { start, end } = root.kind === "map" ? (second ?? root) : root;
    report.add("CFG012", { detail, place: { file: source, start, end } });
    return undefined;
  }
  const read = readRoot(root, source, report);
  return report.errorCount() > before ? undefined : read;
}

function readRoot(root: YamlMap, file: SourceFile, report: Report): TestFile {
  const context: ReadContext = { file, report, owner: "A file of tests" };
  const runsNode = memberNode(root, "runs");
  if (runsNode === undefined || isEmpty(runsNode)) {
    const { start, end } = runsNode ?? { start: root.start, end: root.start };
    const place = { file, start, end };
    report.add("CFG110", { detail: "It has no runs, so it would test nothing.", place });
  }
  const members = readMembers(without(root, ["runs", "variables"]), rootShape, context);
  const names = new Map<string, Place>();
  const nodes = runsNode?.kind === "list" ? runsNode.items : [];
  if (runsNode !== undefined && runsNode.kind !== "list" && !isEmpty(runsNode)) {
    readNode(runsNode, runsShape, { ...context, owner: "runs" });
  }
  return {
    source: file,
    world: placedMember(members, "world"),
    packages: placedMap(members, "package_worlds"),
    startMs: instantMs(members.get("starts_at"), report)?.value,
    variables: variablesIn(root, file, report),
    environment: textsOf(members.get("environment")),
    runs: nodes.flatMap((node) => readRun(node, file, names, report) ?? []),
  };
}

/** Runs are looked at one by one. */
const rootShape = { ...testShape, required: [] };

/** The list itself; its entries are read one by one. */
const runsShape = { ...testRunShape, type: "list", description: "" } as const;

function readRun(
  node: YamlNode,
  file: SourceFile,
  names: Map<string, Place>,
  report: Report,
): TestRun | undefined {
  const context: ReadContext = { file, report, owner: "The run" };
  if (node.kind !== "map") {
    readNode(node, testRunShape, context);
    return undefined;
  }
  const before = report.errorCount();
  const expected = memberNode(node, "expect");
  const members = readMembers(without(node, ["variables"]), testRunShape, context);
  const command = testCommands.find((word) => word === textIn(members, "command")) ?? "plan";
  const expectations = expected?.kind === "map" ? expected : undefined;
  const of = expectations && readExpectations(expectations, file);
  const assertions = assertionsIn(of?.assertions, command, file, report);
  if (report.errorCount() > before) return undefined;
  const name = placedText(members, "name");
  if (name === undefined) return undefined;
  reportTwice(name, names, report);
  checkBelonging(members, command, report);
  const listed = (member: string) => textItems(memberNode(node, member), file);
  const run: TestRun = {
    name: name.value,
    place: name.place,
    command,
    variables: variablesIn(node, file, report),
    targets: understood(listed("target"), toSelector, addressAdvice, report),
    excludes: understood(listed("exclude"), toSelector, addressAdvice, report),
    replace: understood(listed("replace"), toAddress, addressAdvice, report),
    allowed: understood(listed("allow"), toConsent, consentAdvice, report),
    window: windowOf(members),
    at: instantMs(members.get("at"), report),
    afterMs: passingMs(members.get("after")),
    changes: items(memberNode(node, "changes"), file),
    packageChanges: placedMap(members, "package_changes"),
    packageFaults: placedMap(members, "package_faults"),
    faults: placedMember(members, "faults"),
    problems: textItems(of?.problems, file),
    exit: of?.exit,
    assertions,
  };
  return report.errorCount() > before ? undefined : run;
}

/** Words that stand for something else; each that does not is reported. */
function understood<T>(
  words: readonly Placed<string>[],
  read: (word: string) => T | undefined,
  advice: (word: string) => string,
  report: Report,
): readonly T[] {
  return words.flatMap(({ value: word, place }) => {
    const meant = read(word);
    if (meant !== undefined) return [meant];
    report.add("CFG113", { detail: advice(word), place });
    return [];
  });
}

function toConsent(word: string): Consent | undefined {
  return isConsent(word) ? word : undefined;
}

function consentAdvice(word: string): string {
  const known = [...disruptions, "policy:NAME"].join(", ");
  return `${JSON.stringify(word)} is no kind of disruption: there is ${known}.`;
}

type Expectations = {
  readonly problems: YamlNode | undefined;
  readonly exit: Placed<number> | undefined;
  readonly assertions: YamlNode | undefined;
};

function readExpectations(node: YamlMap, file: SourceFile): Expectations {
  const exit = memberNode(node, "exit");
  const given = exit?.kind === "scalar" && !isNull(exit) ? exit : undefined;
  const place = given && { file, start: given.start, end: given.end };
  return {
    problems: memberNode(node, "problems"),
    exit: given && place && { value: Number(given.text), place },
    assertions: memberNode(node, "assertions"),
  };
}

function reportTwice(name: Placed<string>, names: Map<string, Place>, report: Report): void {
  const first = names.get(name.value);
  if (first === undefined) {
    names.set(name.value, name.place);
    return;
  }
  const detail = `Another run at ${placeText(first)} has this name.`;
  report.add("CFG111", { detail, fix: "Give each run a name of its own.", place: name.place });
}

/** What a command does not know would be left out silently. */
const belonging: { readonly [member: string]: readonly TestCommand[] } = {
  replace: ["plan", "apply"],
  allow: ["plan", "apply", "destroy"],
  window: ["apply", "destroy"],
};

function checkBelonging(members: Members, command: TestCommand, report: Report): void {
  for (const [name, commands] of Object.entries(belonging)) {
    const member = members.get(name);
    if (member === undefined || isUnset(member) || commands.includes(command)) continue;
    const detail = `${name} says nothing of a run of ${command}.`;
    const fix = `Leave it out; it belongs to ${commands.join(", ")}.`;
    report.add("CFG113", { detail, fix, place: member.place });
  }
  const [at, after] = [members.get("at"), members.get("after")];
  if (at === undefined || after === undefined || isUnset(at) || isUnset(after)) return;
  const detail = "The run has at and after, and begins at one time.";
  report.add("CFG113", { detail, fix: "Leave one of them out.", place: after.place });
}

function without(node: YamlMap, names: readonly string[]): YamlMap {
  return { ...node, entries: node.entries.filter(({ key }) => !names.includes(key.text)) };
}

/** Values are read later, by the types of the variables. */
function variablesIn(node: YamlMap, file: SourceFile, report: Report): YamlNode | undefined {
  const found = memberNode(node, "variables");
  if (found === undefined || isEmpty(found)) return undefined;
  const { start, end } = found;
  const place = { file, start, end };
  if (found.kind !== "map") {
    const detail = "variables takes a map: one line for each variable.";
    report.add("CFG012", { detail, place });
    return undefined;
  }
  // An alias leads to where its anchor stands: before the key.
  const own = file.index.text.slice(start, end);
  if (start < node.start || /(^|[\s,[{])\*[A-Za-z0-9]/.test(own)) {
    report.add("CFG115", { detail: "They use an alias.", place });
    return undefined;
  }
  return found;
}

function isEmpty(node: YamlNode): boolean {
  if (node.kind === "scalar") return isNull(node);
  return node.kind === "list" ? node.items.length === 0 : node.entries.length === 0;
}

function isUnset(member: ConfigValue): boolean {
  return member.kind === "constant" && member.value === null;
}

function placedMember(members: Members, name: string): Placed<Value> | undefined {
  const member = members.get(name);
  if (member?.kind !== "constant" || member.value === null) return undefined;
  return { value: member.value, place: member.place };
}

function placedMap(members: Members, name: string): Placed<ValueMap> | undefined {
  const member = placedMember(members, name);
  return isMap(member?.value) ? { value: member.value, place: member.place } : undefined;
}

function placedText(members: Members, name: string): Placed<string> | undefined {
  const member = placedMember(members, name);
  if (typeof member?.value !== "string") return undefined;
  return { value: member.value, place: member.place };
}

function textIn(members: Members, name: string): string | undefined {
  return placedText(members, name)?.value;
}

function windowOf(members: Members): TestRun["window"] {
  const word = textIn(members, "window");
  return word === "wait" || word === "skip" ? word : undefined;
}

function textsOf(member: ConfigValue | undefined): { readonly [name: string]: string } {
  if (member?.kind !== "constant" || !isMap(member.value)) return {};
  const entries = Object.entries(member.value);
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
}

function textItems(node: YamlNode | undefined, file: SourceFile): readonly Placed<string>[] {
  if (node?.kind !== "list") return [];
  return node.items.flatMap(({ start, end, ...item }) =>
    item.kind === "scalar" ? [{ value: item.text, place: { file, start, end } }] : [],
  );
}

/** Values of a list, read without telling what was told already. */
function items(node: YamlNode | undefined, file: SourceFile): readonly Placed<Value>[] {
  if (node?.kind !== "list") return [];
  return node.items.flatMap((item) => {
    const value = plainValue(item, file);
    return value === undefined
      ? []
      : [{ value, place: { file, start: item.start, end: item.end } }];
  });
}

function plainValue(node: YamlNode, file: SourceFile): Value | undefined {
  const silent: Report = {
    add: () => {},
    pass: () => {},
    errorCount: () => 0,
    diagnostics: () => [],
  };
  const shape = testRunShape.properties.get("changes")?.items;
  if (shape === undefined) return undefined;
  const read = readNode(node, shape, { file, report: silent, owner: "changes" });
  if (read?.kind !== "constant") return undefined;
  return isMap(read.value) || isList(read.value) ? read.value : undefined;
}
