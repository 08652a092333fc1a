/** What stands against a change of a VM or its snapshot, judged with the facts of it. Pure. */

import type { LowerRequest, Objection } from "../../../model/provider/provider.ts";
import { nowhere } from "../../../model/said/problem.ts";
import type { Attributes } from "../../../model/value/value.ts";
import { busyWith, hardwareNeeded } from "../../kit/vm/attached-vm.ts";
import { isSince } from "../client/versions.ts";
import { problem, warning } from "../codes.ts";
import { vmIn } from "./names.ts";
import { readFacts, type VmFacts } from "./vm-facts.ts";
import { notOffered, powerWithheld } from "./vm-offers.ts";

/** Nested virtualization and snapshots came with it (specification, section A). */
const versionNeeded = "5.1";

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
  if (change.changed.includes("power")) {
    objections.push(...powerWithheld(facts, vmIn(change.inputs).power));
  }
  return [...objections, ...busyWarnings(facts)];
}

export function snapshotObjections(change: LowerRequest): readonly Objection[] {
  if (change.action !== "create" || change.facts === undefined) return [];
  const facts = readFacts(change.facts);
  const { api_version: apiVersion } = facts;
  if (isSince(apiVersion, versionNeeded)) {
    return [...snapshotRefusals(facts), ...busyWarnings(facts)];
  }
  const old = problem(nowhere, "CLD014", {
    detail: `This session speaks API ${apiVersion}; snapshots need ${versionNeeded}.`,
    fix: `Set api_version: "${versionNeeded}" if the cloud offers it, or remove the snapshot.`,
  });
  return [old, ...busyWarnings(facts)];
}

/** Known before: it would be refused (wire facts A.3.3, A.4). */
function snapshotRefusals(facts: VmFacts): readonly Objection[] {
  if (facts.has_independent_disk) {
    return [
      problem(nowhere, "CLD018", {
        detail: "An independent disk is attached to the VM, and the cloud refuses snapshots then.",
        fix: "Detach the disk in the cloud, or remove the snapshot.",
      }),
    ];
  }
  const isRest = facts.power_state === "on" || facts.power_state === "off";
  return isRest ? notOffered(facts, "create", "make a snapshot of this VM") : [];
}

function nestedObjections(
  facts: VmFacts,
  wanted: boolean,
  prior: Attributes,
): readonly Objection[] {
  const { api_version: apiVersion } = facts;
  if (!isSince(apiVersion, versionNeeded)) {
    return [
      problem(nowhere, "CLD010", {
        detail: `This session speaks API ${apiVersion}; nested_hv_enabled needs ${versionNeeded}.`,
        fix: `Set api_version: "${versionNeeded}" if the cloud offers it, or remove the attribute.`,
      }),
    ];
  }
  const hardware = facts.hardware_version ?? vmIn(prior).hardware_version;
  if (!wanted || hardware === undefined || hardware >= hardwareNeeded) {
    return nestedWithheld(facts, wanted);
  }
  return [
    problem(nowhere, "CLD011", {
      detail: `The VM has virtual hardware version ${hardware}; ${hardwareNeeded} is needed.`,
      fix: "Upgrade the virtual hardware of the VM, or remove nested_hv_enabled.",
    }),
  ];
}

/**
 * A VM that is off offers to enable it; how the link of the contrary is shown is not known for
 * sure. One that is on has to be turned off for it (wire facts A.3.3).
 */
function nestedWithheld(facts: VmFacts, wanted: boolean): readonly Objection[] {
  const { power_state: powerState, links } = facts;
  const verb = wanted ? "enable-nested" : "disable-nested";
  if (links.includes(verb)) return [];
  if (powerState === "off" && wanted) {
    return notOffered(facts, verb, "enable nested virtualization of this VM");
  }
  return powerState === "on"
    ? notOffered(facts, "undeploy", "turn off this VM, which the change needs")
    : [];
}

/** A link that is absent while a task runs says nothing about rights (wire facts A.3.3). */
function relocateObjections(facts: VmFacts): readonly Objection[] {
  const { is_system: isSystem, links, tasks, vapp_tasks: vappTasks } = facts;
  const isOffered = isSystem || links.includes("relocate");
  if (isOffered || tasks.length > 0 || vappTasks.length > 0) return datastoreObjections(facts);
  return [
    problem(nowhere, "CLD012", {
      detail: "The cloud does not offer to move this VM to the user of this session.",
      fix: "Log in as a system administrator (org: system), or remove datastore.",
    }),
  ];
}

function datastoreObjections({ datastore_problem: why, space }: VmFacts): readonly Objection[] {
  if (why !== null) {
    return [
      problem(nowhere, "CLD015", {
        detail: why,
        fix: "Name one that the host manager of the VM has and that takes VMs.",
      }),
    ];
  }
  if (space === null || space.need_mb <= space.free_mb) return [];
  const { free_mb: freeMb, need_mb: needMb, vm_count: vmCount } = space;
  const what =
    vmCount === 1 ? "the disks of the VM" : `the disks of the ${vmCount} VMs moved there`;
  return [
    warning(nowhere, "CLD016", {
      detail: `${freeMb} MB are free, and ${what} take up to ${needMb} MB.`,
      fix: "Make room, or take another datastore; thin disks may need less.",
    }),
  ];
}

function busyWarnings({ tasks, vapp_tasks: vappTasks }: VmFacts): readonly Objection[] {
  return [
    ...tasks.map((task) => warning(nowhere, "CLD013", busyWith(task))),
    ...vappTasks.map((task) => warning(nowhere, "CLD013", busyWith(task, " in its vApp"))),
  ];
}
