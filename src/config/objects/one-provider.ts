/**
 * What an attribute names stands at the same endpoint: the VM of a folder, of a disk or of a
 * snapshot, the parent of a clone. At another endpoint an object of that name may exist as well,
 * and be somebody else's.
 */

import type { Resource } from "../blocks/resource.ts";
import { templatesBehind } from "../modules/late-names.ts";
import { type Module, modulesIn, reportIn } from "../modules/module.ts";
import { type ConfigTemplate, templatesOf } from "../read/value.ts";
import type { Report } from "../report.ts";

/** Reports each attribute that refers to an object of another provider, once. */
export function checkOneProvider(root: Module, report: Report): void {
  for (const module of modulesIn(root)) checkModule(module, reportIn(module, report));
}

function checkModule(module: Module, report: Report): void {
  for (const resource of module.resources.values()) {
    for (const { name, names } of Object.values(resource.type.schema.attributes)) {
      const value = resource.attributes.get(name);
      if (names === undefined || value === undefined) continue;
      const other = namedIn(templatesOf(value), module).find(
        ({ type, provider }) => type.name === names && provider !== resource.provider,
      );
      if (other !== undefined) report.add("CFG046", problemOf(resource, name, other));
    }
  }
}

/** Resources that the templates refer to, and those behind late values in them. */
function namedIn(own: readonly ConfigTemplate[], module: Module): readonly Resource[] {
  return templatesBehind(own, module).flatMap(({ template, module: at }) =>
    template.references.flatMap((reference) => {
      if (reference.root !== "resource") return [];
      const resource = at.resources.get(`${reference.type}.${reference.name}`);
      return resource === undefined ? [] : [resource];
    }),
  );
}

function problemOf(
  resource: Resource,
  name: string,
  other: Resource,
): Parameters<Report["add"]>[1] {
  const place = resource.attributes.get(name)?.place ?? resource.place;
  return {
    detail:
      `${name} names ${other.key}, which is managed with provider ${other.provider}; ` +
      `${resource.key} belongs to provider ${resource.provider}.`,
    fix:
      `Add provider: ${other.provider} to ${resource.key}, or name an object of ` +
      `${resource.provider}.`,
    place,
  };
}
