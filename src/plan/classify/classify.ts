/**
 * Classifies every object: the question "what happens to it, and why?". `desired.ts` asks it of
 * what is wanted (`new.ts`: may it be made? `recorded.ts`: what has become of it? `verdict.ts`: the
 * answer), `left.ts` of what left the configuration, `data.ts` of data sources. `renamed.ts`,
 * `required.ts`, `undecided.ts` and `replace-order.ts` answer for several objects at once;
 * `examine.ts` and `named-objects.ts` say what has to be asked first, `power-goal.ts` which power a
 * VM gets. `draft.ts` is what they read, and folds what they answer.
 */

import type { DesiredInstance } from "../../model/plan/desired.ts";
import type { PlannedData, PlanScope } from "../../model/plan/plan.ts";
import type { FactsRequest } from "../../model/provider/provider.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import type { Address, Move } from "../../model/value/address.ts";
import type { ReferenceLookup } from "../../model/value/expression.ts";
import type { Adoptions } from "../before/adopt.ts";
import { resolveLinks } from "../before/links.ts";
import { type Prior, priorOf } from "../before/prior.ts";
import type { Selection } from "../before/selection.ts";
import type { NamedObject } from "../input.ts";
import type { Unit } from "../unit.ts";
import { classifyData } from "./data.ts";
import { classifyDesired, leaveAsItIs } from "./desired.ts";
import { beginDraft, blocked, type Draft, type Drafting, indexOf, type Outcome } from "./draft.ts";
import { classifyLeft } from "./left.ts";
import { displacedObjects, isKept, wantedKeyOf } from "./renamed.ts";
import { chooseOrder } from "./replace-order.ts";
import { setAgain } from "./required.ts";
import { decideForContent } from "./undecided.ts";

export type Classification = {
  /** Desired objects in dependency order, then objects that left the configuration. */
  readonly units: readonly Unit[];
  readonly priors: readonly Prior[];
  /** Each after those it uses. */
  readonly data: readonly PlannedData[];
  readonly blocked: ReadonlySet<Address>;
  readonly diagnostics: readonly Diagnostic[];
  readonly partial: boolean;
  readonly scope: PlanScope;
  readonly selection: Selection;
  /** Tentative records that are kept though missing and not wanted. */
  readonly kept: readonly Prior[];
  /** Tentative records whose time is over. */
  readonly expired: readonly Prior[];
  /** What wanted addresses mean and others hold: where that is so, nothing else of this counts. */
  readonly displaced: readonly Move[];
  /** Facts to be asked for before this can be lowered rightly. */
  readonly questions: readonly FactsRequest[];
  /** Objects that new ones name, to be looked for. */
  readonly namedQuestions: readonly NamedObject[];
  /** Planned attributes of each desired object, for references. */
  readonly lookup: ReferenceLookup;
};

export function classify(adoptions: Adoptions): Classification {
  const { input } = adoptions;
  const priors = input.recorded.objects.map((record) => priorOf(record, input.observations));
  const links = resolveLinks(input);
  const drafting = beginDraft(indexOf(adoptions, priors, links));
  const { draft, fold, told } = drafting;
  const instances = input.mode === "apply" ? links.order : [];
  for (const instance of instances) classifyOne(drafting, instance);
  // A data source that nothing uses is read, too, but for what is left out.
  if (input.mode === "apply" && draft.selection.all) {
    for (const { address } of input.desired.data) classifyData(drafting, address);
  }
  const wanted = new Set(instances.map((instance) => instance.address));
  const left = priors.filter(
    ({ record, existence }) =>
      (input.mode !== "refresh" || existence === "missing") &&
      draft.selection.has(record.address) &&
      (record.objectKey !== "current" || !wanted.has(record.address)),
  );
  for (const prior of left.filter((item) => item.record.container === undefined)) {
    fold(endOf(draft, prior));
  }
  for (const prior of left.filter((item) => item.record.container !== undefined)) {
    fold(endOf(draft, prior));
  }
  setAgain(drafting);
  return {
    units: decideForContent(chooseOrder(drafting)),
    priors,
    data: input.desired.data.flatMap(({ address }) => draft.data.get(address) ?? []),
    blocked: draft.blocked,
    diagnostics: [...links.diagnostics, ...told.diagnostics],
    partial: !draft.selection.all,
    scope: draft.selection.scope,
    selection: draft.selection,
    kept: told.kept,
    expired: told.expired,
    displaced: displacedObjects(draft),
    questions: told.questions,
    namedQuestions: told.namedQuestions,
    lookup: (address) => draft.planned.get(address),
  };
}

function classifyOne(drafting: Drafting, instance: DesiredInstance): void {
  const { draft, fold } = drafting;
  const { address } = instance;
  const isSelected = draft.selection.has(address);
  if (!isSelected) fold(leaveAsItIs(draft, instance));
  else {
    const isWithheld = draft.input.withheld.has(address);
    for (const used of isWithheld ? [] : instance.data) classifyData(drafting, used);
    fold(classifyDesired(draft, instance));
  }
  if (isSelected && !draft.blocked.has(address)) return;
  const wantedKey = wantedKeyOf(draft, instance);
  if (wantedKey !== undefined) fold({ address, wantedKey });
}

function endOf(draft: Draft, prior: Prior): Outcome {
  return isKept(draft, prior) ? blocked(prior.record.address) : classifyLeft(draft, prior);
}
