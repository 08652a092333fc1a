/** Facts about a VM that is to change, as they stand in a plan. */

import {
  bagOf,
  type Guarded,
  isFlag,
  isListOf,
  isNumber,
  isRecordOf,
  isText,
} from "../../kit/schema/shape.ts";

/**
 * Room on the datastore that it is to be moved to, and what all that is moved there takes. What is
 * of the move itself is told beside it, by the names that plans know (`model/plan/space.ts`).
 */
const isSpace = isRecordOf({ free_mb: isNumber, need_mb: isNumber, vm_count: isNumber });

export type SpaceFact = Guarded<typeof isSpace>;

/** Facts may come from a saved plan: what is not as it should be counts as absent. */
export const readFacts = bagOf({
  api_version: [isText, ""],
  /** The session is one of a system administrator. */
  is_system: [isFlag, false],
  name: [isText, null],
  /** Verbs whose links the VM offers now. */
  links: [isListOf(isText), []],
  /** It shows links at all, so that one that is absent says something. */
  shows_links: [isFlag, false],
  /** Tasks of it that have not ended, as people are told of them. */
  tasks: [isListOf(isText), []],
  /** Of its vApp, and of other VMs there. */
  vapp_tasks: [isListOf(isText), []],
  has_independent_disk: [isFlag, false],
  power_state: [isText, null],
  hardware_version: [isNumber, null],
  /** What the host manager calls the VM. */
  moref: [isText, null],
  /** As the server printed it. */
  datastore_href: [isText, null],
  /** Why nothing can be moved there; a sentence. */
  datastore_problem: [isText, null],
  space: [isSpace, null],
});

export type VmFacts = ReturnType<typeof readFacts>;
