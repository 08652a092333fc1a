/** What a plan leaves to be judged while it is applied. */

import { judgedBy } from "../operation/operation.ts";
import type { SourcePosition } from "../said/diagnostic.ts";
import type { Plan } from "./plan.ts";

export type JudgedLate = {
  readonly kind: "precondition" | "postcondition" | "check";
  /** Address, or name of an output or check. */
  readonly of: string;
  readonly what: "object" | "data" | "output" | "check";
  readonly message: string;
  readonly source?: SourcePosition;
};

/** Conditions of objects in the order of operations, of data sources and outputs; then checks. */
export function judgedLate(plan: Plan): readonly JudgedLate[] {
  const { operations, data, outputConditions = [], checks = [] } = plan;
  return [
    ...operations.flatMap((operation) =>
      judgedBy(operation).map(({ kind, message, source }) => {
        return { kind, of: operation.subject.address, what: "object", message, source } as const;
      }),
    ),
    ...data.flatMap(({ address, conditions = [] }) =>
      conditions.map(({ kind, message, source }) => {
        return { kind, of: address, what: "data", message, source } as const;
      }),
    ),
    ...outputConditions.map(({ kind, output, message, source }) => {
      return { kind, of: output, what: "output", message, source } as const;
    }),
    ...checks.map(({ name, message }) => {
      return { kind: "check", of: name, what: "check", message } as const;
    }),
  ];
}
