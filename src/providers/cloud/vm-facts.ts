/** Facts about a VM that is to change: how `facts` writes them and pure code reads them. */

import type { Attributes, Value } from "../../model/value.ts";

/** A task of a VM that has not ended. */
export type TaskFact = {
  /** For people, such as `Relocating Virtual Machine web(…)`. */
  readonly operation: string;
  readonly operationName: string;
  readonly user?: string;
  /** 0 to 100. */
  readonly progress?: number;
};

export type VmFacts = {
  readonly apiVersion: string;
  /** The session is one of a system administrator. */
  readonly isSystem: boolean;
  /** Verbs whose links the VM offers now. */
  readonly links: readonly string[];
  readonly tasks: readonly TaskFact[];
  readonly powerState?: string;
  readonly hardwareVersion?: number;
  /** What the host manager calls the VM. */
  readonly moref?: string;
  /** As the server printed it. */
  readonly datastoreHref?: string;
};

export function writeFacts(facts: VmFacts): Attributes {
  const { apiVersion, isSystem, links, tasks } = facts;
  return {
    api_version: apiVersion,
    is_system: isSystem,
    links,
    tasks: tasks.map(({ operation, operationName, user = null, progress = null }) => ({
      operation,
      operation_name: operationName,
      user,
      progress,
    })),
    power_state: facts.powerState ?? null,
    hardware_version: facts.hardwareVersion ?? null,
    moref: facts.moref ?? null,
    datastore_href: facts.datastoreHref ?? null,
  };
}

/** Facts may come from a saved plan: what is not as it should be counts as absent. */
export function readFacts(facts: Attributes): VmFacts {
  const { power_state: power, hardware_version: hardware, datastore_href: datastore } = facts;
  return {
    apiVersion: textOf(facts.api_version) ?? "",
    isSystem: facts.is_system === true,
    links: listOf(facts.links).filter((item) => typeof item === "string"),
    tasks: listOf(facts.tasks).map(taskOf),
    ...(typeof power === "string" ? { powerState: power } : {}),
    ...(typeof hardware === "number" ? { hardwareVersion: hardware } : {}),
    ...(typeof facts.moref === "string" ? { moref: facts.moref } : {}),
    ...(typeof datastore === "string" ? { datastoreHref: datastore } : {}),
  };
}

function taskOf(value: Value): TaskFact {
  const members = isMap(value) ? value : {};
  const { user, progress } = members;
  return {
    operation: textOf(members.operation) ?? "",
    operationName: textOf(members.operation_name) ?? "",
    ...(typeof user === "string" ? { user } : {}),
    ...(typeof progress === "number" ? { progress } : {}),
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

function listOf(value: Value | undefined): readonly Value[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: Value | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function isMap(value: Value): value is { readonly [name: string]: Value } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
