/**
 * Who has changed what, as far as a server tells it: tasks with their owner, who last edited a
 * setting, who has logged in. Only what was read is told, and nothing is concluded from silence.
 */

/** What has drifted of one object. */
export type ChangeQuestion = {
  readonly type: string;
  readonly identity: string;
  readonly attributes: readonly string[];
  /**
   * When what is recorded was true last, by the clock of the server as far as that is known, else
   * by our own; milliseconds since the epoch. What happened before is no answer. Absent: not known.
   */
  readonly sinceMs?: number;
};

export type ToldChange = {
  /** The attributes that it explains; of a login none. */
  readonly attributes: readonly string[];
  /**
   * `task`: work of the kind that changes them. `edit`: the server names its last editor. `login`:
   * somebody was there, and nothing says what was done.
   */
  readonly kind: "task" | "edit" | "login";
  /** Absent where the server leaves it out. */
  readonly user?: string;
  /** By the clock of the server, milliseconds since the epoch. */
  readonly atMs: number;
  /** How far that clock is ahead of ours, asked for the report. Absent: the server tells none. */
  readonly clockAheadMs?: number;
  /** In the server's own words, may be empty. */
  readonly what: string;
  /** What it was read from, such as `the tasks of the VM`. */
  readonly source: string;
};

export type ChangeAnswer = {
  /** At most one of each attribute that is no login; the latest. */
  readonly changes: readonly ToldChange[];
  /** Why some of it is not told to this session. */
  readonly withheld?: string;
};
