/** Records of runs in a document: a text of it, and as much as may go with each write. */

import type { RunRecord } from "../../model/recorded/run-record.ts";
import type { Seal } from "../../model/recorded/seal.ts";
import { decodeRuns, encodeRuns, roomFor, withRuns } from "../../state/form/run-lines.ts";

/** Characters of all records: each write sends them as well. */
const runsLengthMax = 256 * 1024;

export function runsIn(text: string | undefined, seal: Seal): readonly RunRecord[] {
  return decodeRuns(text ?? "", seal);
}

/** The text with these records in it, and without those that are dropped. */
export function runsAfter(
  text: string | undefined,
  records: readonly RunRecord[],
  drop: readonly string[],
  seal: Seal,
): string {
  return encodeRuns(roomFor(withRuns(runsIn(text, seal), records, drop), runsLengthMax), seal);
}
