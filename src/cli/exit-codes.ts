/** Exit codes, the same for all commands. */

export const exitCodes = {
  ok: 0,
  error: 1,
  /** `plan --detailed-exitcode`: changes; `drift`: drift. */
  changes: 2,
  /** A fault of vmform itself. */
  bug: 3,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
