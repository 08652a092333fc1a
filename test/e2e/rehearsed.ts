/** The report of a rehearsal, as `--json` gives it. */

import type { Output } from "../helpers/program.ts";

export type Report = {
  readonly succeeds: boolean;
  readonly duration_ms: number;
  readonly operations: readonly {
    readonly id: string;
    readonly address: string;
    readonly outcome: string;
    readonly start_ms?: number;
    readonly end_ms?: number;
  }[];
  readonly power_windows: readonly {
    readonly address: string;
    readonly start_ms: number;
    readonly end_ms: number;
  }[];
  readonly datastores: readonly {
    readonly provider: string;
    readonly name: string;
    readonly capacity_mb?: number;
    readonly before_mb: number;
    readonly peak_mb: number;
    readonly after_mb: number;
  }[];
  readonly failures: readonly {
    readonly id?: string;
    readonly address?: string;
    readonly code?: string;
    readonly reason: string;
    readonly holds_back: readonly string[];
  }[];
  readonly paces: readonly unknown[];
  readonly unknown: readonly string[];
};

export function reportIn({ stdout }: Output): Report {
  return JSON.parse(stdout) as Report;
}
