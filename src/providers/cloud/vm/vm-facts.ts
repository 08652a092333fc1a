/** Facts about a VM that is to change: how `facts` writes them and pure code reads them. */

import type { Attributes, Value } from "../../../model/value.ts";
import { listOf, numberIn, textIn } from "../../kit/narrow.ts";

/** A task of a VM that has not ended. */
export type TaskFact = {
  /** For people, such as `Relocating Virtual Machine web(…)`. */
  readonly operation: string;
  readonly operationName: string;
  readonly user?: string;
  /** 0 to 100. */
  readonly progress?: number;
};

/** Room on the datastore that it is to be moved to, and what all that is moved there takes. */
export type SpaceFact = {
  readonly freeMb: number;
  readonly needMb: number;
  readonly vmCount: number;
};

export type VmFacts = {
  readonly apiVersion: string;
  /** The session is one of a system administrator. */
  readonly isSystem: boolean;
  /** Verbs whose links the VM offers now. */
  readonly links: readonly string[];
  /** It shows links at all, so that one that is absent says something. */
  readonly showsLinks: boolean;
  readonly tasks: readonly TaskFact[];
  /** Of its vApp, and of other VMs there. */
  readonly vappTasks: readonly TaskFact[];
  readonly name?: string;
  readonly hasIndependentDisk: boolean;
  readonly powerState?: string;
  readonly hardwareVersion?: number;
  /** What the host manager calls the VM. */
  readonly moref?: string;
  /** As the server printed it. */
  readonly datastoreHref?: string;
  /** Why nothing can be moved there; a sentence. */
  readonly datastoreProblem?: string;
  readonly space?: SpaceFact;
};

export function writeFacts(facts: VmFacts): Attributes {
  const { apiVersion, isSystem, links, showsLinks, tasks, vappTasks, space } = facts;
  return {
    api_version: apiVersion,
    is_system: isSystem,
    name: facts.name ?? null,
    links,
    shows_links: showsLinks,
    tasks: tasks.map((task) => taskValue(task)),
    vapp_tasks: vappTasks.map((task) => taskValue(task)),
    has_independent_disk: facts.hasIndependentDisk,
    power_state: facts.powerState ?? null,
    hardware_version: facts.hardwareVersion ?? null,
    moref: facts.moref ?? null,
    datastore_href: facts.datastoreHref ?? null,
    datastore_problem: facts.datastoreProblem ?? null,
    space:
      space === undefined
        ? null
        : { free_mb: space.freeMb, need_mb: space.needMb, vm_count: space.vmCount },
  };
}

function taskValue({ operation, operationName, user, progress }: TaskFact): Value {
  return {
    operation,
    operation_name: operationName,
    user: user ?? null,
    progress: progress ?? null,
  };
}

/** Facts may come from a saved plan: what is not as it should be counts as absent. */
export function readFacts(facts: Attributes): VmFacts {
  const { power_state: power, hardware_version: hardware, datastore_href: datastore } = facts;
  const { name, datastore_problem: problem } = facts;
  const space = spaceOf(facts.space);
  return {
    apiVersion: textIn(facts, "api_version") ?? "",
    isSystem: facts.is_system === true,
    links: listOf(facts.links).filter((item) => typeof item === "string"),
    showsLinks: facts.shows_links === true,
    tasks: listOf(facts.tasks).map(taskOf),
    vappTasks: listOf(facts.vapp_tasks).map(taskOf),
    hasIndependentDisk: facts.has_independent_disk === true,
    ...(typeof name === "string" ? { name } : {}),
    ...(typeof power === "string" ? { powerState: power } : {}),
    ...(typeof hardware === "number" ? { hardwareVersion: hardware } : {}),
    ...(typeof facts.moref === "string" ? { moref: facts.moref } : {}),
    ...(typeof datastore === "string" ? { datastoreHref: datastore } : {}),
    ...(typeof problem === "string" ? { datastoreProblem: problem } : {}),
    ...(space === undefined ? {} : { space }),
  };
}

function spaceOf(value: Value | undefined): SpaceFact | undefined {
  const [freeMb, needMb, vmCount] = ["free_mb", "need_mb", "vm_count"].map((name) =>
    numberIn(value, name),
  );
  const isWhole = freeMb !== undefined && needMb !== undefined && vmCount !== undefined;
  return isWhole ? { freeMb, needMb, vmCount } : undefined;
}

function taskOf(value: Value): TaskFact {
  const [user, progress] = [textIn(value, "user"), numberIn(value, "progress")];
  return {
    operation: textIn(value, "operation") ?? "",
    operationName: textIn(value, "operation_name") ?? "",
    ...(user === undefined ? {} : { user }),
    ...(progress === undefined ? {} : { progress }),
  };
}

/** `Relocating Virtual Machine web(…), by alice, 40 %`. */
export function describeTask(task: TaskFact): string {
  const { operation, operationName, user, progress } = task;
  return [
    operation === "" ? operationName : operation,
    ...(user === undefined ? [] : [`by ${user}`]),
    ...(progress === undefined ? [] : [`${progress} %`]),
  ].join(", ");
}
