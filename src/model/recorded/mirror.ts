/** What a mirror holds: a copy on this machine of what is recorded elsewhere. */

export type ShelvedMirror = {
  readonly name: string;
  /** Why it cannot be read; absent when it can. */
  readonly problem?: string;
  readonly held?: {
    /** Where its store is. */
    readonly of: string;
    readonly asOfMs: number;
    readonly position: number;
    readonly objects: number;
  };
  /** What was applied from it and is in no store yet. */
  readonly fork?: {
    readonly sinceMs: number;
    readonly who: string;
    readonly host: string;
    readonly entries: number;
  };
};
