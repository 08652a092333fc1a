/** Time as an input. */

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  sleep(ms: number): Promise<void>;
  /** Absent where the machine does not tell. */
  uptime?(): Uptime | undefined;
}

/** How long the machine has been up: it goes on as it is, however its clock is set. */
export type Uptime = {
  /** Of this start of this machine; times of two starts say nothing of each other. */
  readonly boot: string;
  readonly ms: number;
};
