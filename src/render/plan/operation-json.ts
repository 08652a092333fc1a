/** An operation as data, with its request as it will be sent, but for secrets and unknown parts. */

import type { AttributeExpectation } from "../../model/expectation.ts";
import type { Operation, OperationEdge, OperationJoin } from "../../model/operation.ts";
import type { SchemaRegistry } from "../../model/resource-schema.ts";
import { isUnknown, type PlannedValue, type Value, type ValueMap } from "../../model/value.ts";
import { isSensitive } from "../text/sensitivity.ts";
import { isList, isMap, sensitiveLiteral, unknownLiteral } from "../text/value-text.ts";
import { type RequestMask, requestMask } from "./request-mask.ts";

/** `deferred` names the expression of each input that is known after apply. */
export function operationJson(operation: Operation, types: SchemaRegistry): ValueMap {
  const isSecret = (name: string): boolean => isSensitive(types, operation.type, name);
  const mask = requestMask(operation.inputs, isSecret);
  const { request } = operation;
  const deferred = Object.entries(operation.deferred).map(([attribute, { template }]) => [
    attribute,
    isSecret(attribute) ? sensitiveLiteral : template,
  ]);
  return {
    id: operation.id,
    address: operation.address,
    type: operation.type,
    provider: operation.provider,
    object_key: operation.objectKey,
    identity: operation.identity,
    verb: operation.verb,
    effect: operation.effect,
    summary: mask.text(operation.summary),
    ...(request === undefined ? {} : { request: requestJson(request, mask) }),
    deferred: Object.fromEntries(deferred),
    after: edgesJson(operation.after),
    ...(operation.branch === undefined ? {} : { branch: { ...operation.branch } }),
    ...(operation.window === undefined ? {} : { window: operation.window }),
    ...(operation.role === undefined ? {} : { role: operation.role }),
    ...(operation.fallbackFor === undefined ? {} : { fallback_for: operation.fallbackFor }),
    locks: operation.locks.map((lock) => ({ ...lock })),
    pools: operation.pools,
    disrupts: operation.disrupts,
    expect: operation.expect.map((expectation) => expectationJson(expectation, mask, isSecret)),
    unobservable: operation.unobservable,
    repeat: operation.repeat,
    limit_ms: operation.limitMs,
    ...(operation.requestLimitMs === undefined
      ? {}
      : { request_limit_ms: operation.requestLimitMs }),
  };
}

export function joinJson({ id, after }: OperationJoin): ValueMap {
  return { id, after: edgesJson(after) };
}

function edgesJson(edges: readonly OperationEdge[]): readonly ValueMap[] {
  return edges.map(({ id, on }) => ({ id, on }));
}

function requestJson(request: NonNullable<Operation["request"]>, mask: RequestMask): ValueMap {
  return {
    method: request.method,
    path: mask.text(request.path),
    ...(request.contentType === undefined ? {} : { content_type: request.contentType }),
    ...(request.body === undefined ? {} : { body: shown(mask.value(request.body)) }),
  };
}

function expectationJson(
  expectation: AttributeExpectation,
  mask: RequestMask,
  isSecret: (name: string) => boolean,
): ValueMap {
  if ("existence" in expectation) return { existence: expectation.existence };
  const { attribute } = expectation;
  if ("present" in expectation) return { attribute, present: true };
  if ("atLeast" in expectation) {
    const least = isSecret(attribute) ? sensitiveLiteral : shown(mask.value(expectation.atLeast));
    return { attribute, at_least: least };
  }
  const equals = isSecret(attribute) ? sensitiveLiteral : shown(mask.value(expectation.equals));
  return { attribute, equals };
}

/** Unknown leaves become the text `(known after apply)`, so that the shape stays readable. */
function shown(value: PlannedValue): Value {
  if (isUnknown(value)) return unknownLiteral;
  if (isList(value)) return value.map((item) => shown(item));
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shown(item)]));
}
