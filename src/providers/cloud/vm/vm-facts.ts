/** Facts about a VM that is to change: how `facts` writes them and pure code reads them. */

import { moveFact, type SpaceMove } from "../../../model/plan/space.ts";
import type { Attributes, Value } from "../../../model/value/value.ts";
import { numberIn, textIn, textsIn } from "../../kit/narrow.ts";

/**
 * Room on the datastore that it is to be moved to, and what all that is moved there takes. What is
 * of the move itself is told by the names that plans know (`model/plan/space.ts`).
 */
export type SpaceFact = {
  readonly freeMb: number;
  readonly needMb: number;
  readonly vmCount: number;
  readonly move?: SpaceMove;
};

export type VmFacts = {
  readonly apiVersion: string;
  /** The session is one of a system administrator. */
  readonly isSystem: boolean;
  /** Verbs whose links the VM offers now. */
  readonly links: readonly string[];
  /** It shows links at all, so that one that is absent says something. */
  readonly showsLinks: boolean;
  /** Tasks of it that have not ended, as people are told of them. */
  readonly tasks: readonly string[];
  /** Of its vApp, and of other VMs there. */
  readonly vappTasks: readonly string[];
  readonly name?: string | undefined;
  readonly hasIndependentDisk: boolean;
  readonly powerState?: string | undefined;
  readonly hardwareVersion?: number | undefined;
  /** What the host manager calls the VM. */
  readonly moref?: string | undefined;
  /** As the server printed it. */
  readonly datastoreHref?: string | undefined;
  /** Why nothing can be moved there; a sentence. */
  readonly datastoreProblem?: string | undefined;
  readonly space?: SpaceFact | undefined;
};

export function writeFacts(facts: VmFacts): Attributes {
  const { apiVersion, isSystem, links, showsLinks, tasks, vappTasks, space } = facts;
  return {
    api_version: apiVersion,
    is_system: isSystem,
    name: facts.name ?? null,
    links,
    shows_links: showsLinks,
    tasks,
    vapp_tasks: vappTasks,
    has_independent_disk: facts.hasIndependentDisk,
    power_state: facts.powerState ?? null,
    hardware_version: facts.hardwareVersion ?? null,
    moref: facts.moref ?? null,
    datastore_href: facts.datastoreHref ?? null,
    datastore_problem: facts.datastoreProblem ?? null,
    space:
      space === undefined
        ? null
        : {
            free_mb: space.freeMb,
            need_mb: space.needMb,
            vm_count: space.vmCount,
            ...(space.move === undefined ? {} : { move: moveFact(space.move) }),
          },
  };
}

/** Facts may come from a saved plan: what is not as it should be counts as absent. */
export function readFacts(facts: Attributes): VmFacts {
  return {
    apiVersion: textIn(facts, "api_version") ?? "",
    isSystem: facts.is_system === true,
    links: textsIn(facts, "links"),
    showsLinks: facts.shows_links === true,
    tasks: textsIn(facts, "tasks"),
    vappTasks: textsIn(facts, "vapp_tasks"),
    hasIndependentDisk: facts.has_independent_disk === true,
    name: textIn(facts, "name"),
    powerState: textIn(facts, "power_state"),
    hardwareVersion: numberIn(facts, "hardware_version"),
    moref: textIn(facts, "moref"),
    datastoreHref: textIn(facts, "datastore_href"),
    datastoreProblem: textIn(facts, "datastore_problem"),
    space: spaceOf(facts.space),
  };
}

function spaceOf(value: Value | undefined): SpaceFact | undefined {
  const [freeMb, needMb, vmCount] = ["free_mb", "need_mb", "vm_count"].map((name) =>
    numberIn(value, name),
  );
  const isWhole = freeMb !== undefined && needMb !== undefined && vmCount !== undefined;
  return isWhole ? { freeMb, needMb, vmCount } : undefined;
}
