/** Exit codes, the same for all commands. */

export const exitCodes = {
  ok: 0,
  error: 1,
  /** `plan --detailed-exitcode`: changes; `drift`: drift. */
  changes: 2,
  /** A fault of vmform itself. */
  bug: 3,
  /** `rehearse`, `plan --rehearse`: something of the plan would fail. */
  foreseen: 4,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
