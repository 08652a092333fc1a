/** What stands against a change of a VM or its snapshot, judged with the facts of it. Pure. */

import type { LowerRequest, Objection } from "../../model/provider.ts";
import type { Attributes } from "../../model/value.ts";
import { isSince } from "./versions.ts";
import { describeTask, readFacts, type VmFacts } from "./vm-facts.ts";

/** Nested virtualization and snapshots came with it (specification, section A). */
const versionNeeded = "5.1";
/** Specification, section D: nested virtualization needs it. */
const hardwareNeeded = 9;

export function vmObjections(change: LowerRequest): readonly Objection[] {
  if (change.action !== "update" || change.facts === undefined) return [];
  const facts = readFacts(change.facts);
  const objections: Objection[] = [];
  const { datastore = null, nested_hv_enabled: nested = null } = change.inputs;
  if (change.changed.includes("nested_hv_enabled") && nested !== null) {
    objections.push(...nestedObjections(facts, nested === true, change.prior.attributes));
  }
  if (change.changed.includes("datastore") && datastore !== null) {
    objections.push(...relocateObjections(facts));
  }
  return [...objections, ...busyWarnings(facts)];
}

export function snapshotObjections(change: LowerRequest): readonly Objection[] {
  if (change.action !== "create" || change.facts === undefined) return [];
  const facts = readFacts(change.facts);
  const { apiVersion } = facts;
  if (isSince(apiVersion, versionNeeded)) return busyWarnings(facts);
  const objection: Objection = {
    severity: "error",
    code: "CLD014",
    summary: "Snapshots need another API version",
    detail: `This session speaks API ${apiVersion}; snapshots need ${versionNeeded}.`,
    fix: `Set api_version: "${versionNeeded}" if the cloud offers it, or remove the snapshot.`,
  };
  return [objection, ...busyWarnings(facts)];
}

function nestedObjections(
  facts: VmFacts,
  wanted: boolean,
  prior: Attributes,
): readonly Objection[] {
  const { apiVersion } = facts;
  if (!isSince(apiVersion, versionNeeded)) {
    return [
      {
        severity: "error",
        code: "CLD010",
        summary: "Nested virtualization needs another API version",
        detail: `This session speaks API ${apiVersion}; nested_hv_enabled needs ${versionNeeded}.`,
        fix: `Set api_version: "${versionNeeded}" if the cloud offers it, or remove the attribute.`,
      },
    ];
  }
  const recorded = prior.hardware_version;
  const hardware = facts.hardwareVersion ?? (typeof recorded === "number" ? recorded : undefined);
  if (!wanted || hardware === undefined || hardware >= hardwareNeeded) return [];
  return [
    {
      severity: "error",
      code: "CLD011",
      summary: "Nested virtualization needs newer virtual hardware",
      detail: `The VM has virtual hardware version ${hardware}; ${hardwareNeeded} is needed.`,
      fix: "Upgrade the virtual hardware of the VM, or remove nested_hv_enabled.",
    },
  ];
}

/** A link that is absent while a task runs says nothing about rights (wire facts A.3.3). */
function relocateObjections(facts: VmFacts): readonly Objection[] {
  const { isSystem, links, tasks } = facts;
  if (isSystem || links.includes("relocate") || tasks.length > 0) return [];
  return [
    {
      severity: "error",
      code: "CLD012",
      summary: "Moving a VM needs a system administrator",
      detail: "The cloud does not offer to move this VM to the user of this session.",
      fix: "Log in as a system administrator (org: system), or remove datastore.",
    },
  ];
}

/** Nothing of ours runs while planning: what runs was begun by somebody else. */
function busyWarnings(facts: VmFacts): readonly Objection[] {
  return facts.tasks.map((task) => ({
    severity: "warning",
    code: "CLD013",
    summary: "Something is being done to the VM already",
    detail: `Running now: ${describeTask(task)}. The change waits until it has ended.`,
  }));
}
