/**
 * One entry of the `modules` block: which module is called, how often, and with what. Its inputs
 * are read once the variables of the module are known, which say what they are.
 */

import { memberNode, type YamlMap } from "../../lib/yaml/yaml.ts";
import { type BlockEntry, entryContext } from "../read/blocks.ts";
import { blockShape } from "../read/form/schemas.ts";
import { readMembers } from "../read/read.ts";
import type { ConfigValue } from "../read/value.ts";
import { textsOf, type WrittenText } from "../read/written-text.ts";
import type { Place, Report, SourceFile } from "../report.ts";

export type ModuleCall = {
  readonly name: string;
  readonly place: Place;
  readonly file: SourceFile;
  /** Undefined after a problem was reported. */
  readonly source: WrittenText | undefined;
  /** As written; undefined without any. */
  readonly inputs: YamlMap | undefined;
  /** Names of providers inside, and what they are called here. */
  readonly providers: ReadonlyMap<string, WrittenText>;
  readonly instancing: "single" | "list" | "map";
  readonly count: ConfigValue | undefined;
  readonly forEach: ConfigValue | undefined;
  readonly dependsOn: readonly WrittenText[];
  /** Something could not be read: the module has no instances. */
  readonly broken: boolean;
};

export function readModuleCalls(
  entries: ReadonlyMap<string, BlockEntry>,
  report: Report,
): ReadonlyMap<string, ModuleCall> {
  return new Map([...entries].map(([name, entry]) => [name, readModuleCall(entry, report)]));
}

function readModuleCall(entry: BlockEntry, report: Report): ModuleCall {
  const { name, node, file, place } = entry;
  const before = report.errorCount();
  const context = entryContext(entry, `module ${name}`, report);
  if (node.kind !== "map") {
    const detail = `The module ${name} takes a map with source.`;
    report.add("CFG012", { detail, fix: "Write { source: ./FOLDER }.", place });
    const none = { source: undefined, inputs: undefined, count: undefined, forEach: undefined };
    const empty = { providers: new Map(), dependsOn: [], instancing: "single" as const };
    return { name, place, file, ...none, ...empty, broken: true };
  }
  // Inputs are typed by the variables they are for.
  const rest = { ...node, entries: node.entries.filter(({ key }) => key.text !== "inputs") };
  const members = readMembers(rest, blockShape("ModuleBlock"), context);
  if (members.has("count") && members.has("for_each")) {
    const detail = "A module takes count or for_each, not both.";
    report.add("CFG032", { detail, fix: "Remove one of them.", place });
  }
  const inputs = memberNode(node, "inputs");
  if (inputs !== undefined && inputs.kind !== "map" && !isEmpty(inputs)) {
    const detail = `The inputs of ${name} are a map: one line for each variable of the module.`;
    report.add("CFG012", { detail, place: { file, start: inputs.start, end: inputs.end } });
  }
  const source = members.get("source");
  const text = source?.kind === "constant" ? source.value : undefined;
  return {
    name,
    place,
    file,
    source: typeof text === "string" ? { text, place: source?.place ?? place } : undefined,
    inputs: inputs?.kind === "map" ? inputs : undefined,
    providers: providersOf(node, file),
    instancing: members.has("for_each") ? "map" : members.has("count") ? "list" : "single",
    count: members.get("count"),
    forEach: members.get("for_each"),
    dependsOn: textsOf(memberNode(node, "depends_on"), file),
    broken: report.errorCount() > before,
  };
}

function isEmpty(node: { readonly kind: string; readonly text?: string }): boolean {
  return node.kind === "scalar" && node.text === "";
}

function providersOf(node: YamlMap, file: SourceFile): ReadonlyMap<string, WrittenText> {
  const written = memberNode(node, "providers");
  if (written?.kind !== "map") return new Map();
  return new Map(
    written.entries.flatMap(({ key, value }) => {
      if (value.kind !== "scalar") return [];
      const place = { file, start: value.start, end: value.end };
      return [[key.text, { text: value.text, place }] as const];
    }),
  );
}
