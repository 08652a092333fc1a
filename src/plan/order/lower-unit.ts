/** Lowers one unit: its own operations and their order. Other units and content come later. */

import type {
  OperationEffect,
  OperationId,
  WindowId,
  WindowRole,
} from "../../model/operation/operation.ts";
import type { PowerState, PowerWord } from "../../model/operation/power.ts";
import type { LoweredStep } from "../../model/provider/provider.ts";
import { isKnown, type PlannedAttributes } from "../../model/value/value.ts";
import { lowerRequestOf } from "../classify/examine.ts";
import { selfCloneProblem } from "../classify/named-objects.ts";
import { problem } from "../codes.ts";
import { creates, ends, type Unit } from "../unit.ts";
import { addPostconditions } from "./conditions.ts";
import { lastClonesFrom, wordsBeforeClones } from "./last-clones.ts";
import {
  addOperation,
  addWord,
  chain,
  type LoweredUnit,
  type Lowering,
  marks,
  type Timeline,
} from "./lowering.ts";
import { addEdge, type NodeId } from "./order-graph.ts";
import { addTimeline, placeInSegment } from "./power-timeline.ts";
import { addCheck } from "./replacement.ts";
import { segmentsOf } from "./timeline.ts";

export function lowerUnit(lowering: Lowering, unit: Unit): LoweredUnit {
  const mark = marks(unit);
  const selfClone = selfCloneProblem(unit);
  if (selfClone !== undefined) lowering.diagnostics.push(selfClone);
  chain(lowering, mark.endBegin, mark.ended);
  if (unit.deposes !== undefined) chain(lowering, mark.done, mark.endBegin);
  else if (creates(unit)) chain(lowering, mark.ended, mark.begin);
  if (unit.partsWith !== undefined) lowerParting(lowering, unit, unit.partsWith);
  const end = ends(unit) && !unit.endsSilently ? lowerEnd(lowering, unit) : noEnd;
  if (unit.action === "delete" || unit.action === "forget") {
    chain(lowering, mark.begin, mark.done);
    return { ...noLife, unit, settled: mark.done, ...end };
  }
  const life = lowerLife(lowering, unit, {
    mark: { begin: mark.begin, done: addPostconditions(lowering, unit) },
    window: `${unit.address}@window`,
  });
  if (unit.undecided !== undefined) lowerKept(lowering, unit, unit.undecided.updates);
  const lowered = { ...life, ...end, content: [...end.content, ...life.content] };
  addCheck(lowering, unit, lowered);
  return lowered;
}

const noLife = { timeline: undefined, createOperation: undefined, ownSteps: [] } as const;

type LoweredEnd = Pick<LoweredUnit, "words" | "deletes" | "content">;
const noEnd: LoweredEnd = { words: [], deletes: [], content: [] };

/** What is done in place where late values turn out as applied; before all that is made anew. */
function lowerKept(lowering: Lowering, unit: Unit, updates: readonly string[]): void {
  const { address, power } = unit;
  const unreadable = power !== undefined && power.from === undefined;
  if (unreadable || (updates.length === 0 && power?.from === power?.to)) return;
  const branch = { of: address, when: "kept" } as const;
  const kept: Unit = { ...unit, action: "update", updates, forceNew: [], branch };
  const mark = { begin: `kept-begin ${address}`, done: `kept-done ${address}` };
  const outer = marks(unit);
  lowerLife(lowering, { ...kept, undecided: undefined }, { mark, window: `${address}@kept` });
  chain(lowering, outer.ended, mark.begin, mark.done, outer.begin);
}

/** The old object's end: words that must come before, the delete, and the way back if it fails. */
function lowerEnd(lowering: Lowering, unit: Unit): LoweredEnd {
  const mark = marks(unit);
  const record = unit.prior?.record;
  if (record === undefined) return noEnd;
  const { type, power } = unit;
  const { identity, container } = record;
  const holder = container === undefined ? undefined : lowering.attributesOf(container);
  const known = holder === undefined ? {} : { container: holder };
  const steps = type.lower({ action: "delete", identity, prior: record, ...known });
  const replaces = unit.action === "replace";
  const isCloned = lastClonesFrom(lowering, unit).length > 0;
  const words = isCloned ? wordsBeforeClones(unit) : wordsBeforeDelete(unit);
  const window = `${unit.address}@${replaces ? "replace" : "leave"}`;
  // When the new object stands already, the old one's power is nobody's loss.
  const createFirst = unit.deposes !== undefined || unit.objectKey !== "current";
  const inWindow = (isCloned || (replaces && !createFirst)) && words.length > 0;
  const remember = power?.from === undefined || createFirst ? {} : { restore: power.from };
  const placeIn = (role: WindowRole) => (inWindow ? { window: { id: window, role } } : {});
  const wordIds = words.map((word, index) =>
    addWord(lowering, unit, "prior", word, {
      disrupts: [],
      order: placeIn(index === 0 ? "open" : "word"),
      record: index === 0 ? remember : {},
    }),
  );
  const deletes = steps.map((step, index) =>
    addOperation(lowering, unit, "prior", step, {
      ...(replaces && type.replaceIsHarmless !== true ? { disrupts: ["replace"] } : {}),
      ...(step.effect === "delete" ? { effect: deleteOf(unit, record.identity) } : {}),
      order: placeIn("member"),
      record: {
        ...(index === 0 && words.length === 0 ? remember : {}),
        ...(replaces || createFirst ? {} : { settlesRestore: true }),
      },
    }),
  );
  chain(lowering, mark.endBegin, ...wordIds, ...deletes, mark.ended);
  const last = deletes.at(-1);
  if (inWindow && last !== undefined) addWayBack(lowering, unit, last, window);
  return { words: wordIds, deletes, content: contentSteps(unit, steps, deletes) };
}

function wordsBeforeDelete({ type, power }: Unit): readonly PowerWord[] {
  return power?.from === undefined ? [] : (type.power?.beforeDelete[power.from] ?? []);
}

/** Words before an object is forgotten: off where that is wanted, else what it is still owed. */
function lowerParting(lowering: Lowering, unit: Unit, to: PowerState): void {
  const { power, type } = unit;
  const mark = marks(unit);
  const words = power?.from === undefined ? [] : (type.power?.table[power.from]?.[to] ?? []);
  const ids = words.map((word, index) =>
    addWord(lowering, unit, "prior", word, {
      request: power?.openRestore === to ? { closing: true } : {},
      record: index === words.length - 1 ? { settlesRestore: true } : {},
    }),
  );
  chain(lowering, mark.endBegin, ...ids, mark.ended);
}

/** A replace whose delete fails must not leave the VM off. */
function addWayBack(lowering: Lowering, unit: Unit, failed: OperationId, window: string): void {
  const { power, type } = unit;
  if (power?.from === undefined) return;
  const words = type.power?.table.off?.[power.from] ?? [];
  // Where the first word of the replace failed, the VM never left.
  const there = { attribute: type.power?.observed ?? "", equals: power.from };
  let before = failed;
  words.forEach((word, index) => {
    const last = index === words.length - 1;
    const id = addWord(lowering, unit, "prior", word, {
      request: { closing: true, ...(last ? {} : { satisfiedBy: [there] }) },
      order: { window: { id: window, role: "close" } },
      record: last ? { settlesRestore: true } : {},
    });
    addEdge(lowering.graph, before, id, index === 0 ? "failure" : "success");
    before = id;
  });
}

function deleteOf(unit: Unit, identity: string): OperationEffect {
  return { kind: "delete", endsContentOf: { type: unit.type.name, identity } };
}

type Place = {
  readonly mark: { readonly begin: NodeId; readonly done: NodeId };
  readonly window: WindowId;
};

/** Create or update, then power. */
function lowerLife(lowering: Lowering, unit: Unit, { mark, window }: Place): LoweredUnit {
  const steps = stepsOf(unit);
  const [first, ...later] = steps;
  const creating = creates(unit) && first !== undefined;
  const createOperation = creating ? addCreate(lowering, unit, first) : undefined;
  if (createOperation !== undefined) chain(lowering, mark.begin, createOperation, mark.done);
  const start = createOperation ?? mark.begin;
  const ownSteps = creating ? later : steps;
  const ids = ownSteps.map((step) => addOperation(lowering, unit, "planned", step));
  ids.forEach((id, index) => {
    const before = ownSteps[index]?.order?.afterPrevious === true ? ids[index - 1] : undefined;
    chain(lowering, start, ...(before === undefined ? [] : [before]), id, mark.done);
  });
  const content = contentSteps(
    unit,
    creating ? [first, ...ownSteps] : ownSteps,
    createOperation === undefined ? ids : [createOperation, ...ids],
  );
  const timeline = addLifeTimeline(lowering, unit, { start, window }, ownSteps);
  if (timeline !== undefined) placeOwnSteps(lowering, timeline, ownSteps, ids);
  const settled = timeline?.words.at(-1) ?? start;
  chain(lowering, settled, mark.done);
  // Where nothing stands in between, or a window that closes whatever became of what is before it.
  const closes = timeline?.window !== undefined;
  if (createOperation === undefined && (closes || ids.length === 0)) {
    chain(lowering, mark.begin, mark.done);
  }
  return {
    unit,
    timeline,
    createOperation,
    ownSteps: ids,
    words: [],
    deletes: [],
    content,
    settled,
  };
}

function stepsOf(unit: Unit): readonly LoweredStep[] {
  const { type, updates, prior, facts } = unit;
  if (!creates(unit) && (updates.length === 0 || prior === undefined)) return [];
  return type.lower(lowerRequestOf(unit, facts, updates));
}

/** The create records what a later plan compares with, and remembers power of the one before. */
function addCreate(lowering: Lowering, unit: Unit, step: LoweredStep): OperationId {
  const remember = unit.power?.remember ?? unit.power?.openRestore;
  const words = unit.power !== undefined && unit.power.to !== unit.type.power?.initial;
  return addOperation(lowering, unit, "planned", step, {
    effect: createOf(unit),
    record: {
      ...(remember === undefined ? {} : { restore: remember }),
      ...(words ? {} : { settlesRestore: true }),
      applied: { ...unsetInputs(unit), ...step.applied, ...(words ? {} : wantedPower(unit)) },
    },
  });
}

function createOf({ type, identity, deposes, desired }: Unit): OperationEffect {
  return {
    kind: "create",
    ...(desired === undefined ? {} : { preventDestroy: desired.lifecycle.preventDestroy }),
    ...(desired?.triggers === undefined ? {} : { triggers: desired.triggers }),
    ...(deposes === undefined ? {} : { deposes }),
    endsContentOf: { type: type.name, identity },
  };
}

/** An input left unset is recorded as unset: setting it later differs from what was applied. */
function unsetInputs(unit: Unit): PlannedAttributes {
  const unset = Object.values(unit.type.schema.attributes).filter(
    (attribute) => attribute.forceNew && !attribute.computed,
  );
  return Object.fromEntries(unset.map((attribute) => [attribute.name, null]));
}

function wantedPower(unit: Unit): PlannedAttributes {
  const name = unit.type.power?.wanted;
  const wanted = name === undefined ? undefined : unit.wanted[name];
  if (name === undefined || wanted === undefined || wanted === null || !isKnown(wanted)) return {};
  return { [name]: wanted };
}

function addLifeTimeline(
  lowering: Lowering,
  unit: Unit,
  { start, window }: { readonly start: NodeId; readonly window: WindowId },
  steps: readonly LoweredStep[],
): Timeline | undefined {
  const { power, type } = unit;
  if (power === undefined || type.power === undefined) return undefined;
  const from = creates(unit) ? type.power.initial : power.from;
  if (from === undefined) {
    if (steps.length === 0) return undefined;
    const detail = "Its power could not be read, and the change needs to know it.";
    lowering.diagnostics.push(problem(unit, "PLN005", { detail }));
    return undefined;
  }
  return addTimeline(lowering, {
    unit,
    start,
    from,
    to: unit.action === "no-op" ? from : power.to,
    needs: [...new Set(steps.flatMap((step) => step.order?.needs ?? []))],
    window,
    // A new VM has no power to return to but the one it shall have.
    remember: creates(unit) ? power.to : from,
    records: wantedPower(unit),
  });
}

function placeOwnSteps(
  lowering: Lowering,
  timeline: Timeline,
  steps: readonly LoweredStep[],
  ids: readonly OperationId[],
): void {
  steps.forEach((step, index) => {
    const id = ids[index];
    const needs = step.order?.needs;
    const segment = needs === undefined ? 0 : segmentsOf(timeline.route, needs)[0];
    if (id === undefined || segment === undefined) return;
    placeInSegment(lowering, timeline, segment, id, needs !== undefined);
  });
}

function contentSteps(
  unit: Unit,
  steps: readonly LoweredStep[],
  ids: readonly OperationId[],
): LoweredUnit["content"] {
  if (unit.type.container === undefined) return [];
  return steps.flatMap((step, index) => {
    const id = ids[index];
    const needs = step.order?.needs;
    return id === undefined || needs === undefined ? [] : [{ id, needs }];
  });
}
