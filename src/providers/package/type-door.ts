/** The pure half of a package: its resource types, each function behind the door. */

import type { RequestPreview } from "../../model/operation/operation.ts";
import type { PackageResourceType } from "../../model/provider/package.ts";
import type { LoweredStep, Objection, ResourceType } from "../../model/provider/provider.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import type { ResourceSchema } from "../../model/value/resource-schema.ts";
import { isMap, type Value } from "../../model/value/value.ts";
import { call, type Door } from "./answer.ts";
import { shapes } from "./shapes.ts";
import { lent } from "./value.ts";

type Shape = object;

/** The type behind its door. */
export function typeBehindDoor(
  type: PackageResourceType,
  schema: ResourceSchema,
  door: Door,
): ResourceType {
  const { name } = type;
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names it
  const ask = <T>(method: string, shape: Shape, work: () => unknown): T =>
    call<T>(door, `${name}.${method}`, shape, work);
  const perhaps = (method: string, work: () => unknown): string | undefined =>
    ask<string | null>(method, shapes.perhapsText, work) ?? undefined;
  return {
    ...dataOf(type),
    name,
    schema,
    ...containerOf(type, ask),
    ...optional(type, ask, perhaps),
    identityOf: (attributes) => perhaps("identityOf", () => type.identityOf(lent(attributes))),
    entity: (identity, settings) =>
      `${name.split("_", 1)[0]}: ${ask<string>("entity", shapes.text, () =>
        type.entity(identity, ownSettings(settings)),
      )}`,
    lower: (request) =>
      ask<readonly LoweredStep[]>("lower", shapes.steps, () => type.lower(lent(request))),
    request: (verb, identity, inputs) =>
      ask<RequestPreview | null>("request", shapes.preview, () =>
        type.request(verb, identity, lent(inputs)),
      ) ?? undefined,
    limitMs: (verb, attributes) =>
      ask<number>("limitMs", shapes.ms, () => type.limitMs(verb, lent(attributes))),
  };
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names it
type Ask = <T>(method: string, shape: Shape, work: () => unknown) => T;
type Perhaps = (method: string, work: () => unknown) => string | undefined;

/** What is no function: it was checked when the package was loaded. */
function dataOf(type: PackageResourceType): Pick<ResourceType, "ownership" | "links"> {
  const { ownership, links, replaceIsHarmless, identifiers, replacesDrift, needsFacts } = type;
  const { actions, tasks } = type;
  return {
    ownership,
    links,
    ...(replaceIsHarmless === undefined ? {} : { replaceIsHarmless }),
    ...(identifiers === undefined ? {} : { identifiers }),
    ...(replacesDrift === undefined ? {} : { replacesDrift }),
    ...(needsFacts === undefined ? {} : { needsFacts }),
    ...(actions === undefined ? {} : { actions }),
    ...(tasks === undefined ? {} : { tasks }),
  };
}

function containerOf({ container }: PackageResourceType, ask: Ask): Partial<ResourceType> {
  if (container === undefined) return {};
  const { attribute, type, listed, requires, of } = container;
  return {
    container: {
      attribute,
      type,
      ...(listed === undefined ? {} : { listed }),
      ...(requires === undefined ? {} : { requires }),
      ...(of === undefined
        ? {}
        : { of: (text) => ask<string>("container.of", shapes.text, () => of(text)) }),
    },
  };
}

/** Functions that a type may have; what it has not, its guarded form has not either. */
function optional(type: PackageResourceType, ask: Ask, perhaps: Perhaps): Partial<ResourceType> {
  const guarded: { -readonly [name in keyof ResourceType]?: ResourceType[name] } = {};
  if (type.parseIdentity !== undefined) {
    guarded.parseIdentity = (text) => perhaps("parseIdentity", () => type.parseIdentity?.(text));
  }
  if (type.aliases !== undefined) {
    guarded.aliases = (identity, attributes, facts) =>
      ask("aliases", shapes.texts, () => type.aliases?.(identity, lent(attributes), lent(facts)));
  }
  if (type.otherKind !== undefined) {
    guarded.otherKind = (found) => perhaps("otherKind", () => type.otherKind?.(lent(found)));
  }
  if (type.surroundings !== undefined) {
    guarded.surroundings = (attributes, settings) =>
      ask("surroundings", shapes.texts, () =>
        type.surroundings?.(lent(attributes), ownSettings(settings)),
      );
  }
  if (type.same !== undefined) {
    guarded.same = (attribute, wanted, actual) =>
      ask("same", shapes.flag, () => type.same?.(attribute, lent(wanted), lent(actual)));
  }
  if (type.due !== undefined) {
    guarded.due = (record, wanted, nowMs, moving) =>
      ask("due", shapes.texts, () => type.due?.(lent(record), lent(wanted), nowMs, moving));
  }
  if (type.remarks !== undefined) {
    guarded.remarks = (attributes) =>
      ask<readonly Objection[]>("remarks", shapes.objections, () =>
        type.remarks?.(lent(attributes)),
      );
  }
  if (type.objections !== undefined) {
    guarded.objections = (request) =>
      ask<readonly Objection[]>("objections", shapes.objections, () =>
        type.objections?.(lent(request)),
      );
  }
  if (type.poolLimit !== undefined) {
    guarded.poolLimit = (pool, settings) =>
      ask<number | null>("poolLimit", shapes.perhapsNumber, () =>
        type.poolLimit?.(pool, ownSettings(settings)),
      ) ?? undefined;
  }
  if (type.check !== undefined) {
    guarded.check = (attributes, address) =>
      ask<readonly Diagnostic[]>("check", shapes.diagnostics, () =>
        type.check?.(lent(attributes), address),
      );
  }
  return guarded;
}

/** Without what says which package it is. */
export function ownSettings(settings: Value): Value {
  if (!isMap(settings)) return settings;
  const { package: _package, ...own } = settings;
  return lent(own);
}
