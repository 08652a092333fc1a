/**
 * The engine's rules that can be turned off. Production code always uses `allRules`; the kill loop
 * turns one off at a time to prove that the tests see it.
 */

export type Rules = {
  /** `applied` stays apart from `attributes`; else a rename outside replaces the VM. */
  readonly appliedSeparate: boolean;
  /** A create not seen leaves a tentative record; else a slow clone becomes a foreign object. */
  readonly tentative: boolean;
  /** The previous power is journaled with the first word; else a killed window leaves a VM off. */
  readonly restore: boolean;
  /** Content records end with their container. */
  readonly contentEnds: boolean;
  /**
   * Recovery waits until the expectation is seen or the limit passed; else requests go out twice.
   */
  readonly settle: boolean;
  /** Conflict on the create of a tentative record is settled by reading. */
  readonly settleConflict: boolean;
  /** A definite error is read back: if the expectation holds, it is done. */
  readonly readAfterError: boolean;
  /** Compaction carries open begins. */
  readonly carryOpen: boolean;
  /** A closing word without effect is sent again. */
  readonly retryClosing: boolean;
  /** The first word of a window waits for everything its members wait for. */
  readonly openLate: boolean;
  /**
   * Members of a window lead to the closing word by settled edges; else a failure leaves it off.
   */
  readonly settledClosing: boolean;
  /** A window reserves its VM against non-members. */
  readonly reserve: boolean;
  /** Wait for the guest's tools after our own power on. */
  readonly toolsWait: boolean;
  /** Replace and recreate inherit the power of the object before. */
  readonly inheritPower: boolean;
  /** The same key at another address that left the configuration is an error. */
  readonly renamedKey: boolean;
  /** Keys that move between living addresses: create after delete. */
  readonly keyMoves: boolean;
  /** `parent_id` and `vm_id` make edges by value. */
  readonly valueEdges: boolean;
  /** Clones hold the parent's lock shared. */
  readonly cloneLock: boolean;
  /** A guest that is still shutting down is waited for; else it is turned off hard meanwhile. */
  readonly waitForGuest: boolean;
  /** What ends an object that is replaced waits for all that its successor waits for. */
  readonly destructiveLast: boolean;
  /** Before an object that is replaced is ended, its successor is shown to be possible. */
  readonly checkFirst: boolean;
  /** What late values alone would replace is kept when they turn out as applied. */
  readonly keepEqual: boolean;
  /** A VM that leaves is deleted after the clones taken from it; else both are lost. */
  readonly clonesFirst: boolean;
  /** Words already satisfied are not sent. */
  readonly skipSatisfied: boolean;
  /** The end carries what was read back. */
  readonly readBack: boolean;
  /** The task of a request without reply is looked for; else it is sent again while it runs. */
  readonly findTask: boolean;
  /** Work on VMs of one vApp is done one after the other; else the server refuses it as busy. */
  readonly surroundings: boolean;
  /** A window reserves its VM, not the vApp around it; else others wait for it without need. */
  readonly passing: boolean;
  /** What a remote task would do is looked at right before; else it may be done over, or undo. */
  readonly askFirst: boolean;
  /** A request that is repeated begins again; else its task is looked for in a time long past. */
  readonly beginAgain: boolean;
};

export const allRules: Rules = {
  appliedSeparate: true,
  tentative: true,
  restore: true,
  contentEnds: true,
  settle: true,
  settleConflict: true,
  readAfterError: true,
  carryOpen: true,
  retryClosing: true,
  openLate: true,
  settledClosing: true,
  reserve: true,
  toolsWait: true,
  inheritPower: true,
  renamedKey: true,
  keyMoves: true,
  valueEdges: true,
  cloneLock: true,
  waitForGuest: true,
  destructiveLast: true,
  checkFirst: true,
  keepEqual: true,
  clonesFirst: true,
  skipSatisfied: true,
  readBack: true,
  findTask: true,
  surroundings: true,
  passing: true,
  askFirst: true,
  beginAgain: true,
};
