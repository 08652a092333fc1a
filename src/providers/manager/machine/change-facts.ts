/** Facts about a VM or a disk that is to change, as they stand in a plan. */

import {
  bagOf,
  type Guarded,
  isFlag,
  isListOf,
  isNumber,
  isRecordOf,
  isText,
} from "../../kit/schema/shape.ts";

/** A disk as it is, which is to become the parent of a new one. */
export type ParentDisk = Guarded<typeof isParentDisk>;

const isParentDisk = isRecordOf({
  disk_id: isText,
  file_name: isText,
  disk_mode: isText,
  datastore_moref: isText,
  is_delta: isFlag,
});

export const isParentDisks = isListOf(isParentDisk);

/** Facts may come from a saved plan: what is not as it should be counts as absent. */
export const readFacts = bagOf({
  api_version: [isText, ""],
  /** Tasks of the VM that have not ended, as people are told of them. */
  tasks: [isListOf(isText), []],
  power_state: [isText, null],
  hardware_version: [isNumber, null],
  host: [isText, null],
  /** Whether the host can nest; null where it does not tell. */
  host_nested: [isFlag, null],
  datastore_moref: [isText, null],
  disks: [isParentDisks, []],
  /** Names. */
  snapshots: [isListOf(isText), []],
  /** Text of the device of the disk that changes. */
  device: [isText, null],
  /** It is a delta, of a linked clone or of a snapshot. */
  is_delta: [isFlag, false],
});

export type ChangeFacts = ReturnType<typeof readFacts>;
