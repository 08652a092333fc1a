/** Policies: what must hold of everything that a plan does, and what came of judging it. */

import type { OperationId } from "../operation/operation.ts";
import type { SourcePosition } from "../said/diagnostic.ts";
import type { Address } from "../value/address.ts";
import type { PlannedAttributes } from "../value/value.ts";

/** `needs_consent`: it may be done by whoever allows it by name, `--allow policy:NAME`. */
export const policyLevels = ["warn", "deny", "needs_consent"] as const;
export type PolicyLevel = (typeof policyLevels)[number];

/** What a policy is asked of: each change, operation or data source, or the plan as a whole. */
export const policyScopes = ["changes", "operations", "data", "plan"] as const;
export type PolicyScope = (typeof policyScopes)[number];

/** What is judged: the values of the names that an expression of a policy may use. */
export type PolicySubject = {
  readonly values: { readonly [root: string]: PlannedAttributes };
  /** Paths of secret values, and of those that are doubles: `change.before.password`. */
  readonly sensitive: readonly string[];
  readonly doubles: readonly string[];
};

export type PolicyResult =
  /** It does not concern the subject, or it holds. */
  | { readonly status: "irrelevant" | "held" | "violated" }
  /** It needs a value that is known only while applying. */
  | { readonly status: "unknown" }
  /** It cannot be evaluated. */
  | { readonly status: "faulty"; readonly why: string };

export type DesiredPolicy = {
  readonly name: string;
  readonly level: PolicyLevel;
  readonly over: PolicyScope;
  readonly message: string;
  readonly source?: SourcePosition;
  /** The time decides, in this zone: it is judged once more right before each operation. */
  readonly zone?: string;
  /** The time alone decides, whatever the subject: all that it concerns may begin at once. */
  readonly windowed?: true;
  /** Pure. */
  judge(subject: PolicySubject, nowMs: number): PolicyResult;
};

/**
 * `outside`: not at this time, it waits or is left for later. `unknown`: judged while applying,
 * before it is sent. `faulty`: the policy cannot be evaluated of it.
 */
export type PolicyVerdict = "violated" | "outside" | "unknown" | "faulty";

/** One policy that does not simply hold of one subject. */
export type PolicyFinding = {
  readonly policy: string;
  readonly level: PolicyLevel;
  readonly message: string;
  readonly verdict: PolicyVerdict;
  /** Of the change, operation or data source; none for the plan as a whole. */
  readonly address?: Address;
  readonly operation?: OperationId;
  /** What is done to it, for people. */
  readonly what?: string;
  readonly why?: string;
  /** When it may begin, where that can be told. */
  readonly opensMs?: number;
  readonly zone?: string;
  /** Somebody has allowed it by name. */
  readonly allowed?: true;
};

/** What policies say of a plan. */
export type JudgedPolicies = {
  readonly judgedMs: number;
  /** Every policy that was asked. */
  readonly names: readonly string[];
  readonly findings: readonly PolicyFinding[];
};
