/**
 * Rules that ignore a known difference for a while. What is ignored is counted and shown as such,
 * never left out, and never something that could not be read: a rule must not hide what nobody saw.
 */

import type {
  DriftReport,
  IgnoredBy,
  IgnoredDifference,
  IgnoreRule,
  ObjectDrift,
} from "../model/plan/drift-report.ts";
import { type Address, selects } from "../model/value/address.ts";
import type { AttributeComparison } from "./attribute-comparison.ts";

export type KeptComparison = AttributeComparison & Pick<ObjectDrift, "ignored">;

/** The comparison without what the rules ignore, which stands beside it. */
export function withoutIgnored(
  rules: readonly IgnoreRule[],
  address: Address,
  comparison: AttributeComparison,
): KeptComparison {
  const own = rules.filter(({ selector }) => selects(selector, address));
  if (own.length === 0) return { ...comparison, ignored: [] };
  const { drifted, standing } = comparison;
  const byOf = (attribute: string): IgnoredBy | undefined =>
    ignoredBy(own.find((rule) => (rule.attribute ?? attribute) === attribute));
  const ignored = [...drifted, ...standing].flatMap((item): readonly IgnoredDifference[] => {
    const by = byOf(item.attribute);
    return by === undefined ? [] : [{ ...item, by }];
  });
  return {
    ...comparison,
    drifted: drifted.filter(({ attribute }) => byOf(attribute) === undefined),
    standing: standing.filter(({ attribute }) => byOf(attribute) === undefined),
    ignored: ignored.toSorted((left, right) => (left.attribute < right.attribute ? -1 : 1)),
  };
}

/** Of an object that is gone: a rule of one attribute says nothing about that. */
export function ignoredWhole(
  rules: readonly IgnoreRule[],
  address: Address,
): IgnoredBy | undefined {
  return ignoredBy(
    rules.find(({ selector, attribute }) => attribute === undefined && selects(selector, address)),
  );
}

function ignoredBy(rule: IgnoreRule | undefined): IgnoredBy | undefined {
  if (rule === undefined) return undefined;
  const { owner, reason, until } = rule;
  return { owner, reason, until };
}

export type RuleUse =
  /** It may have ignored something, or it cannot be told. */
  | "used"
  /** What it names is recorded, and does not differ. */
  | "idle"
  /** Nothing of that name is recorded. */
  | "nothing";

/** What a rule was good for in a whole report; an unread object may have what it ignores. */
export function ruleUse(rule: IgnoreRule, { objects, configuration }: DriftReport): RuleUse {
  const { selector, attribute } = rule;
  const own = objects.filter((object) => selects(selector, object.address));
  if (own.length === 0) return "nothing";
  const isUnseen = ({ verdict, notChecked }: ObjectDrift): boolean =>
    verdict === "unknown" ||
    verdict === "not_checked" ||
    notChecked.some((item) => item.attribute === (attribute ?? item.attribute));
  const isUsed = ({ ignored, ignoredBy: whole }: ObjectDrift): boolean =>
    ignored.some((item) => item.attribute === (attribute ?? item.attribute)) ||
    (whole !== undefined && attribute === undefined);
  const isTold = configuration.status === "read";
  return !isTold || own.some(isUnseen) || own.some(isUsed) ? "used" : "idle";
}
