/** `--filter`: an expression over an object as it was read. */

import { evaluateTemplate } from "../../expressions/evaluate/evaluate.ts";
import { sourceReferences } from "../../expressions/evaluate/references.ts";
import { noResources, type Scope } from "../../expressions/evaluate/scope.ts";
import { parseExpression } from "../../expressions/syntax/template.ts";
import { closestName } from "../../lib/text.ts";
import type { ResourceType } from "../../model/provider/provider.ts";
import { isUnknown, type PlannedValue, unknown } from "../../model/value/value.ts";
import { CommandError } from "../environment.ts";
import { type FoundObject, shownOf } from "./describe.ts";

export type FilterVerdict =
  | { readonly status: "meant" }
  | { readonly status: "other" }
  /** Nobody can tell. */
  | { readonly status: "unsure"; readonly why: string };

/** Throws `CommandError` for an object of which the expression says nothing. */
export type ObjectFilter = (object: FoundObject) => FilterVerdict;

/**
 * Throws `CommandError` for what is no expression, or names what no object of these types has. What
 * only others of them have is null.
 */
export function readFilter(text: string, types: readonly ResourceType[]): ObjectFilter {
  if (/^\s*\$\{/.test(text)) {
    throw new CommandError(
      "--filter is an expression already.",
      "Write it without ${ and } around it.",
      "usage",
    );
  }
  const { template, problems } = parseExpression(text);
  if (template === undefined) {
    const [problem] = problems;
    const way = problem?.fix ?? `Such as: --filter 'object.name.startsWith("web")'`;
    throw new CommandError(`--filter ${text}: ${problem?.message ?? "is none."}`, way, "usage");
  }
  const names = new Set(types.flatMap(({ schema }) => shownNames(schema)));
  refuseUnknown(text, new Set([...commonNames, ...names]));
  return (object) => {
    const { observation, type, identity } = object;
    // What cannot be read is told of where it is described.
    if (observation.status !== "found") return { status: "meant" };
    const { value, problems: wrong } = evaluateTemplate(
      template,
      scopeOf(object, names),
      "boolean",
    );
    const [problem] = wrong;
    if (problem !== undefined) {
      throw new CommandError(
        `--filter says nothing of ${type.name} ${identity}: ${problem.message}`,
        problem.fix ?? "Where it may not be set, write: try(EXPRESSION, false)",
        "usage",
      );
    }
    if (isUnknown(value)) {
      const unread = Object.keys(observation.unreadable).join(", ");
      return { status: "unsure", why: `--filter needs what could not be read of it (${unread})` };
    }
    return { status: value === true ? "meant" : "other" };
  };
}

/** What every object has, where its type has no attribute of that name. */
const commonNames = ["type", "provider", "id"];

function shownNames({ attributes }: ResourceType["schema"]): readonly string[] {
  return Object.values(attributes).flatMap(({ name, sensitive }) => (sensitive ? [] : [name]));
}

function refuseUnknown(text: string, known: ReadonlySet<string>): void {
  for (const reference of sourceReferences(text)) {
    const isObject = reference.root === "resource" && reference.type === "object";
    if (isObject && known.has(reference.name)) continue;
    if (!isObject) {
      throw new CommandError(
        "--filter is about an object as it was read, and names something else.",
        'Name its attributes, as in object.name.startsWith("web").',
        "usage",
      );
    }
    const { name } = reference;
    const closest = closestName(name, [...known]);
    throw new CommandError(
      `--filter names object.${name}, and no object of these types has a ${name}.`,
      closest === undefined
        ? `They have ${[...known].join(", ")}.`
        : `Did you mean object.${closest}?`,
      "usage",
    );
  }
}

/** `object.NAME` is an attribute; `type`, `provider` and `id` are what they are of every object. */
function scopeOf(
  { type, provider, identity, observation }: FoundObject,
  names: ReadonlySet<string>,
): Scope {
  const found = observation.status === "found" ? observation : undefined;
  const read = shownOf(type, found?.attributes ?? {});
  const object: { [name: string]: PlannedValue } = { type: type.name, provider, id: identity };
  const doubles = new Set<string>();
  const { attributes } = type.schema;
  for (const name of names) {
    // The id of an object stays its id where the type calls nothing so.
    if (!Object.hasOwn(attributes, name) && commonNames.includes(name)) continue;
    const isUnread = found !== undefined && Object.hasOwn(found.unreadable, name);
    object[name] = read[name] ?? (isUnread ? unknown : null);
    if (attributes[name]?.type === "number") doubles.add(`object.${name}`);
  }
  return {
    values: { object },
    resources: noResources,
    sensitive: new Set(),
    doubles,
    pending: {},
  };
}
