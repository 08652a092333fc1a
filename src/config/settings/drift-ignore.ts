/** Rules that ignore drift (`vmform.drift.ignore`): whom to ask, why, and until when. */

import { memberNode, type YamlNode } from "../../lib/yaml/yaml.ts";
import type { DriftIgnoreRule } from "../../model/generated/config.ts";
import type { IgnoreRule } from "../../model/plan/drift-report.ts";
import { toSelector } from "../../model/value/address.ts";
import type { BlockEntry } from "../read/blocks.ts";
import { type Place, positionOf, type Report } from "../report.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** Those without problems, which are reported. */
export function ignoreRules(
  entry: BlockEntry | undefined,
  rules: readonly DriftIgnoreRule[],
  report: Report,
): readonly IgnoreRule[] {
  if (entry === undefined) return [];
  const list = memberNode(memberNode(entry.node, "drift"), "ignore");
  const nodes = list?.kind === "list" ? list.items : [];
  return rules.flatMap((rule, index) => ignoreRule(entry, rule, nodes[index], report) ?? []);
}

function ignoreRule(
  entry: BlockEntry,
  { address, attribute, owner, reason, until }: DriftIgnoreRule,
  node: YamlNode | undefined,
  report: Report,
): IgnoreRule | undefined {
  const placeOf = (member: string): Place => {
    const { start, end } = memberNode(node, member) ?? node ?? entry.place;
    return { file: entry.file, start, end };
  };
  const selector = toSelector(address);
  if (selector === undefined) {
    const detail = `${JSON.stringify(address)} is no address.`;
    const fix = "Write a resource or an instance as plans do, such as daemon_vm.web, or a module.";
    report.add("CFG020", { detail, fix, place: placeOf("address") });
  }
  const endMs = endOfDay(until);
  if (endMs === undefined) {
    const detail = `${JSON.stringify(until)} is no day.`;
    const fix = "Write the last day that the rule holds, such as until: 2026-12-31.";
    report.add("CFG020", { detail, fix, place: placeOf("until") });
  }
  if (selector === undefined || endMs === undefined) return undefined;
  return {
    selector,
    ...(attribute === undefined ? {} : { attribute }),
    ...{ owner, reason, until, endMs },
    source: positionOf(placeOf("address")),
  };
}

/** Undefined for what no calendar has, such as February 30. */
function endOfDay(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const ms = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== text) return undefined;
  return ms + dayMs;
}
