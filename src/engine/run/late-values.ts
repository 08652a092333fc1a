/** Values that are known only while applying: computed when what they wait for is done. */

import { resourceShapeOf } from "../../config/read/form/schemas.ts";
import { checkValue } from "../../config/read/form/shape.ts";
import { UncarriedCharacter } from "../../lib/xml/xml-text.ts";
import type {
  Operation,
  PreparedOperation,
  RequestPreview,
} from "../../model/operation/operation.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import type { DeferredAttributes } from "../../model/value/expression.ts";
import type { ResourceSchema } from "../../model/value/resource-schema.ts";
import {
  type Attributes,
  isKnown,
  type PlannedAttributes,
  type Value,
} from "../../model/value/value.ts";
import type { Ledger } from "../ledger.ts";
import type { EnginePorts } from "../ports.ts";
import type { LateReferences } from "./late-references.ts";

export type LateContext = {
  readonly ports: Pick<EnginePorts, "evaluate" | "types">;
  readonly references: LateReferences;
  readonly ledger: Pick<Ledger, "object">;
};

export type LateValues = { readonly values: Attributes } | { readonly message: string };

/** Throws `RemoteError` for a data source. */
export async function evaluateLate(
  { ports, references }: Omit<LateContext, "ledger">,
  deferred: DeferredAttributes,
): Promise<LateValues> {
  const values: { [name: string]: Value } = {};
  for (const [name, late] of Object.entries(deferred)) {
    const { value, problems } = ports.evaluate(late, await references(late.references));
    if (problems.length > 0) {
      return { message: `${name}: ${problems.join("; ")} In: ${late.template}` };
    }
    if (!isKnown(value)) return { message: `${name} is still unknown: ${late.template}` };
    values[name] = value;
  }
  return { values };
}

/** Evaluates what was known only after apply. Throws `RemoteError` for a data source. */
export async function prepare(
  execution: LateContext,
  operation: Operation,
): Promise<{ readonly operation: PreparedOperation } | { readonly message: string }> {
  const late = await evaluateLate(execution, operation.request.deferred);
  if ("message" in late) return late;
  const { values } = late;
  const refusal = refusalOf(execution, operation, values);
  if (refusal !== undefined) return { message: refusal };
  const { verb, subject, record } = operation;
  const { deferred: _deferred, ...planned } = operation.request;
  const inputs = fill(planned.inputs, values);
  const type = execution.ports.types[subject.type];
  let preview: RequestPreview | undefined;
  try {
    preview = type?.request(verb, subject.identity, inputs);
  } catch (error) {
    // What was known while planning was checked then.
    if (error instanceof UncarriedCharacter) return { message: error.message };
    throw error;
  }
  return {
    operation: {
      ...operation,
      request: { ...planned, inputs, ...(preview === undefined ? {} : { preview }) },
      record: { ...record, applied: fill(record.applied, values) },
    },
  };
}

/**
 * What the type says against the late values. What it says without them as well is not theirs: it
 * was judged while planning, where all attributes were known.
 */
function refusalOf(
  { ports: { types }, ledger }: LateContext,
  { subject: { address, type: name }, request, record }: Operation,
  values: Attributes,
): string | undefined {
  const type = types[name];
  if (type === undefined || Object.keys(values).length === 0) return undefined;
  const misfits = schemaMisfits(type.schema, values);
  if (misfits.length > 0) return misfits.join("; ");
  if (type.check === undefined) return undefined;
  const recorded = ledger.object(address);
  const before = { ...recorded?.attributes, ...recorded?.applied };
  const attributes = { ...before, ...fill({ ...record.applied, ...request.inputs }, values) };
  const without = Object.entries(attributes).filter(([key]) => !(key in values));
  const said = (diagnostics: readonly Diagnostic[]) =>
    diagnostics
      .filter(({ severity }) => severity === "error")
      .map(({ detail, summary }) => detail ?? summary);
  const known = new Set(said(type.check(Object.fromEntries(without), address)));
  const wrong = said(type.check(attributes, address)).filter((text) => !known.has(text));
  return wrong.length === 0 ? undefined : wrong.join("; ");
}

/** Words, limits and patterns of the attributes; the values themselves are not told. */
function schemaMisfits(schema: ResourceSchema, values: Attributes): readonly string[] {
  const { properties } = resourceShapeOf(schema);
  return Object.entries(values).flatMap(([name, value]) => {
    const shape = properties.get(name);
    // Of a secret, a reference stands here.
    if (shape === undefined || shape.sensitive) return [];
    return checkValue(value, shape).map((text) => `${name}: ${text}`);
  });
}

function fill(planned: PlannedAttributes, values: Attributes): Attributes {
  const filled: { [name: string]: Value } = {};
  for (const [name, value] of Object.entries(planned)) {
    const known = values[name] ?? value;
    if (isKnown(known)) filled[name] = known;
  }
  return filled;
}
