/** An operation as data, with its request as it will be sent, but for secrets and unknown parts. */

import type { AttributeExpectation } from "../../model/operation/expectation.ts";
import type {
  Operation,
  OperationEdge,
  OperationJoin,
  RequestPreview,
} from "../../model/operation/operation.ts";
import type { SchemaRegistry } from "../../model/value/resource-schema.ts";
import {
  isList,
  isMap,
  isUnknown,
  type PlannedValue,
  type Value,
  type ValueMap,
} from "../../model/value/value.ts";
import { isSensitive } from "../text/value/sensitivity.ts";
import { sensitiveLiteral, unknownLiteral } from "../text/value/value-text.ts";
import { type RequestMask, requestMask } from "./request-mask.ts";

/** `deferred` names the expression of each input that is known after apply. */
export function operationJson(operation: Operation, types: SchemaRegistry): ValueMap {
  const { subject, effect, request, order, proof } = operation;
  const isSecret = (name: string): boolean => isSensitive(types, subject.type, name);
  const mask = requestMask(request.inputs, isSecret);
  const deferred = Object.entries(request.deferred).map(([attribute, { template }]) => [
    attribute,
    isSecret(attribute) ? sensitiveLiteral : template,
  ]);
  return {
    id: operation.id,
    address: subject.address,
    type: subject.type,
    provider: subject.provider,
    object_key: subject.objectKey,
    identity: subject.identity,
    verb: operation.verb,
    effect: effect.kind,
    summary: mask.text(operation.summary),
    ...(request.preview === undefined ? {} : { request: requestJson(request.preview, mask) }),
    deferred: Object.fromEntries(deferred),
    after: edgesJson(order.after),
    ...(order.branch === undefined ? {} : { branch: { ...order.branch } }),
    ...(order.window === undefined ? {} : { window: order.window.id, role: order.window.role }),
    ...(order.fallbackFor === undefined ? {} : { fallback_for: order.fallbackFor }),
    locks: order.locks.map((lock) => ({ ...lock })),
    pools: order.pools,
    disrupts: operation.disrupts,
    expect: proof.expect.map((expectation) => expectationJson(expectation, mask, isSecret)),
    unobservable: proof.unobservable,
    repeat: request.repeat,
    limit_ms: proof.limitMs,
    ...(proof.requestLimitMs === undefined ? {} : { request_limit_ms: proof.requestLimitMs }),
  };
}

export function joinJson({ id, after }: OperationJoin): ValueMap {
  return { id, after: edgesJson(after) };
}

function edgesJson(edges: readonly OperationEdge[]): readonly ValueMap[] {
  return edges.map(({ id, on }) => ({ id, on }));
}

function requestJson(request: RequestPreview, mask: RequestMask): ValueMap {
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
