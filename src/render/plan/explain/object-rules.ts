/** By which rule an object is created, changed, replaced, destroyed or left as it is. */

import { adoptedObjects } from "../../../model/plan/adopted.ts";
import type { Change } from "../../../model/plan/change.ts";
import type { DesiredInstance } from "../../../model/plan/desired.ts";
import { movesIn } from "../../../model/plan/moved.ts";
import type { Plan } from "../../../model/plan/plan.ts";
import type { Address } from "../../../model/value/address.ts";
import { reasonText } from "../change/change-text.ts";
import { spaceRule } from "../remark/space-text.ts";

export type RulesWith = {
  readonly instance: DesiredInstance | undefined;
  /** Whether the configuration is known at all. */
  readonly configurationKnown: boolean;
};

/** Sentences without a period, the one that decides first. */
export function objectRules(
  plan: Plan,
  address: Address,
  change: Change | undefined,
  { instance, configurationKnown }: RulesWith,
): readonly string[] {
  const moved = movesIn(plan.notes).filter(({ to }) => to === address);
  const adopted = adoptedObjects(plan).get(address);
  const space = spaceRule(plan, address);
  const lifecycle = instance?.lifecycle;
  const ignored = lifecycle?.ignoreChanges ?? [];
  return [
    ...(change === undefined ? [absentRule(plan, address)] : [decidingRule(change)]),
    ...(change?.action === "replace" ? [replaceOrder(plan, address)] : []),
    ...(adopted === undefined
      ? []
      : [`${adopted.by === "adopt" ? "adopted" : "imported"} from ${adopted.object.identity}`]),
    ...(space === undefined ? [] : [space]),
    ...moved.map(({ from }) => `recorded at ${from} until now: a moved entry says so`),
    ...(configurationKnown && instance === undefined ? ["it is not in the configuration"] : []),
    ...(lifecycle?.preventDestroy === true
      ? ["prevent_destroy: no plan destroys or replaces it"]
      : []),
    ...(ignored.length === 0 ? [] : [`ignore_changes leaves out ${ignored.join(", ")}`]),
    ...(instance?.triggers ?? []).map(
      (one) =>
        `replace_triggered_by: a change of ${one.address}` +
        `${one.attribute === undefined ? "" : `.${one.attribute}`} replaces it`,
    ),
  ];
}

function absentRule({ blocked, partial }: Plan, address: Address): string {
  if (blocked.includes(address)) return "it is blocked: it, or what it depends on, has errors";
  return partial
    ? "it is not looked at: --target or --exclude leave it out"
    : "the plan does not know it";
}

function decidingRule({ action, reason }: Change): string {
  const because = reasonText(reason);
  if (because !== undefined) return because;
  switch (action) {
    case "create":
      return "it is configured, and recorded nowhere";
    case "update":
      return "what differs of it can be changed in place";
    case "replace":
      return "it has to be made anew";
    case "delete":
      return reason.kind === "destroy"
        ? "everything recorded is to be destroyed"
        : "it is not wanted";
    case "forget":
      return "it leaves recorded state, and stays";
    case "no-op":
      return "nothing differs that a plan would change";
  }
}

function replaceOrder({ operations }: Plan, address: Address): string {
  const deposes = operations.some(
    ({ subject, effect }) =>
      subject.address === address && effect.kind === "create" && effect.deposes !== undefined,
  );
  return deposes
    ? "create_before_destroy: the new one is made first"
    : "the old one is destroyed first, then the new one is made";
}
