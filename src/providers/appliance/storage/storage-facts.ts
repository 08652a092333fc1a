/**
 * What is known of an appliance: attributes as they are recorded, and facts of a change, which are
 * fresher. Both may come from a file: what is not as it should be counts as absent.
 */

import {
  bagOf,
  isListOf,
  isMapOf,
  isNullOr,
  isNumber,
  isRecordOf,
  isText,
} from "../../kit/schema/shape.ts";
import { isPrefixName, isRelease } from "../client/release.ts";

const shown = {
  release: [isRelease, null],
  /** Partitions by the number of their VMDK; empty where none are listed. */
  disks: [isMapOf(isListOf(isText)), {}],
  health: [isText, null],
  /** GB by purpose; null where the appliance does not tell. */
  filesystems_gb: [isMapOf(isNumber), null],
} as const;

/** The last resize, where nobody answered it. */
const isUnanswered = isRecordOf({ at: isText, filesystems_gb: isMapOf(isNumber) });

export const readAttributes = bagOf({ ...shown, unanswered: [isUnanswered, null] });

/** Why something is not told; null of what is. */
const isUntold = isRecordOf({
  disks: isNullOr(isText),
  health: isNullOr(isText),
  filesystems_gb: isNullOr(isText),
});

export const readFacts = bagOf({
  ...shown,
  prefix: [isPrefixName, null],
  /** When it was asked, by our clock. */
  now_ms: [isNumber, null],
  untold: [isUntold, null],
});

export type StorageFacts = ReturnType<typeof readFacts>;
