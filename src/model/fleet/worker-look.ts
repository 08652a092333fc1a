/** Workers of a database, for whoever looks. */

export type WorkerThere = {
  /** What it is called; several may be called the same. */
  readonly name: string;
  /** Of vmform, and of Node.js. */
  readonly version: string;
  readonly node: string;
  /** Of its machine. */
  readonly host: string;
  /** Runs at the same time that it takes, and those that it has. */
  readonly atOnce: number;
  readonly running: number;
  /** Milliseconds since the epoch, by the clock of the database. */
  readonly sinceMs: number;
  readonly seenMs: number;
  /** It has given no sign of life for several times what it leaves between two. */
  readonly silent: boolean;
};

export type WorkersLook = {
  readonly workers: readonly WorkerThere[];
  /** Runs that wait for a worker, by the version of vmform that has packed them. */
  readonly queued: ReadonlyMap<string, number>;
  /** Of this vmform. */
  readonly version: string;
};
