/**
 * `prevent_destroy` by expression: known before anything is asked, so that no answer of a server,
 * and no failed one, decides what may be destroyed.
 */

import type { DesiredInstance, DesiredProtection, Lifecycle } from "../../model/plan/desired.ts";
import type { Address } from "../../model/value/address.ts";
import type { Resource } from "../blocks/resource.ts";
import type { Module } from "../modules/module.ts";
import { knowNothing, type ModuleScope, scopesIn } from "../modules/module-scope.ts";
import type { Report } from "../report.ts";
import { checkTemplates, type ExpressionPlace } from "../values/check-expressions.ts";
import { evaluate } from "../values/evaluation.ts";
import { expressionsOf, scopeAt } from "../values/late-values.ts";
import type { Instance } from "./instance.ts";
import { addressIn, type InstancesByResource } from "./instances.ts";

export function checkProtection(
  { protection }: Resource,
  place: ExpressionPlace,
  module: Module,
  report: Report,
): void {
  if (protection === undefined) return;
  const why = "prevent_destroy must be known before any resource or data source is.";
  const constant = { code: "CFG055", why } as const;
  checkTemplates([protection], { ...place, constant }, module, report);
}

/** The lifecycle of one instance. Problems are reported. */
export function protectedLifecycle(
  { resource, values, scope }: Instance,
  report: Report,
): Lifecycle {
  const { lifecycle, protection } = resource;
  if (protection === undefined) return lifecycle;
  const expressions = { ...expressionsOf([protection]), values };
  const evaluated = evaluate(protection, "prevent_destroy", {
    scope: scopeAt(scope, expressions, knowNothing, report),
    report,
    skipped: scope.module.skipped,
  });
  return { ...lifecycle, preventDestroy: evaluated.value === true };
}

/**
 * A resource that says it itself speaks for instances that left it, too. One whose instances are
 * not known yet, and that may protect them, protects them all.
 */
export function protectionOf(
  root: ModuleScope,
  byResource: InstancesByResource,
  instances: readonly DesiredInstance[],
): DesiredProtection {
  const byAddress = new Map(instances.map((one) => [one.address, one.lifecycle.preventDestroy]));
  const isProtected: Address[] = [];
  const lifted: Address[] = [];
  for (const { resource, scope, instances: own } of byResource.values()) {
    if (resource.mode !== "managed") continue;
    const address = addressIn(scope, resource);
    if (resource.protection === undefined) {
      (resource.lifecycle.preventDestroy ? isProtected : lifted).push(address);
      continue;
    }
    for (const one of own) (byAddress.get(one.address) ? isProtected : lifted).push(one.address);
    const isWhole = own.length > 0 && own.every((one) => byAddress.get(one.address));
    if (isWhole) isProtected.push(address);
  }
  for (const scope of scopesIn(root)) {
    for (const resource of scope.module.resources.values()) {
      const address = addressIn(scope, resource);
      if (resource.mode !== "managed" || byResource.has(address)) continue;
      const mayProtect = resource.protection !== undefined || resource.lifecycle.preventDestroy;
      if (mayProtect) isProtected.push(address);
    }
  }
  return { protected: isProtected, lifted };
}
