/** `vmform schema`: the JSON Schema of a configuration, or of the resources of one type. */

import {
  editorResourceSchema,
  editorSchema,
  type PackageSchemas,
  strictSchema,
} from "../../config/editor-schema.ts";
import { packageDiagnostics } from "../../config/load-packages.ts";
import { closestName } from "../../lib/text.ts";
import { CommandError, DiagnosticError, type ReadingEnvironment } from "../environment.ts";

export type SchemaOptions = {
  /** A resource type; without it, the whole configuration. */
  readonly type: string | undefined;
  /** As it is after expressions are evaluated; else as it is written. */
  readonly strict: boolean;
};

/** Throws `DiagnosticError` where a provider package is named and its types cannot be told. */
export function schemaCommand(
  environment: ReadingEnvironment,
  { type, strict }: SchemaOptions,
): object {
  const { types } = environment;
  const packages = packageSchemas(environment);
  if (type === undefined) return strict ? strictSchema() : editorSchema(packages);
  const known = Object.hasOwn(types, type) ? types[type] : undefined;
  const schema = strict ? known?.schema.json : editorResourceSchema(type, packages);
  if (known !== undefined && schema !== undefined) return schema;
  const names = Object.keys(types);
  const closest = closestName(type, names);
  throw new CommandError(
    `There is no resource type ${type}.`,
    closest === undefined ? `The types are ${names.join(", ")}.` : `Did you mean ${closest}?`,
  );
}

function packageSchemas(environment: ReadingEnvironment): PackageSchemas | undefined {
  const { packages, types, dataTypes, providerSettings } = environment;
  if (packages === undefined) return undefined;
  if (packages.problems.length > 0) throw new DiagnosticError(packageDiagnostics(packages));
  const providers = Object.keys(packages.labels);
  const isOurs = ({ name }: { readonly name: string }): boolean =>
    providers.some((provider) => name.startsWith(`${provider}_`));
  return {
    types: Object.values(types)
      .filter(isOurs)
      .map(({ schema }) => schema),
    dataTypes: Object.values(dataTypes)
      .filter(isOurs)
      .map(({ schema }) => schema),
    settings: providers.flatMap((provider) => providerSettings[provider] ?? []),
  };
}
