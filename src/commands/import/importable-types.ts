/** Types whose objects `import --all` can look for. */

import type { Configuration } from "../../config/load.ts";
import { closestName } from "../../lib/text.ts";
import type { ResourceType } from "../../model/provider/provider.ts";
import { CommandError, type WorkspaceEnvironment } from "../environment.ts";

/** Throws `CommandError` for a name of no type, or of one that cannot be listed. */
export function typeNamed(environment: WorkspaceEnvironment, name: string): ResourceType {
  const { types } = environment;
  const type = Object.hasOwn(types, name) ? types[name] : undefined;
  if (type === undefined) {
    const closest = closestName(name, Object.keys(types));
    const all = `The types are ${Object.keys(types).join(", ")}.`;
    throw new CommandError(
      `There is no resource type ${name}.`,
      closest === undefined ? all : `Did you mean ${closest}?`,
    );
  }
  refuseRecordOnly(type);
  if (isListable(type)) return type;
  throw new CommandError(
    `Objects of type ${name} cannot be listed: they are content of a ${type.container?.type}.`,
    "Declare each, and import it with: vmform import ADDRESS ID",
  );
}

/** Throws `CommandError` for a type of which the other side holds nothing. */
export function refuseRecordOnly(type: ResourceType | undefined): void {
  if (type?.recordOnly !== true) return;
  throw new CommandError(
    `Objects of type ${type.name} cannot be imported: each is a record of work that vmform ` +
      "itself has done, and the other side keeps nothing of it that could be read.",
    "Declare them: the next apply does the work, and records it.",
  );
}

/** All types of configured providers that can be listed. */
export function typesToImport(
  { types }: Pick<WorkspaceEnvironment, "types">,
  { providers }: Configuration,
): readonly ResourceType[] {
  const bases = new Set(providers.map(({ name }) => name.split(".", 1)[0]));
  const found = Object.values(types).filter(
    (type) => bases.has(type.name.split("_", 1)[0]) && isListable(type),
  );
  if (found.length > 0) return found;
  throw new CommandError(
    "The configuration has no provider whose objects could be listed.",
    "Add one to the block providers, or name a type: vmform import --all TYPE",
  );
}

/** What is named stands before what names it; else the order is that of the types. */
export function inNamingOrder(types: readonly ResourceType[]): readonly ResourceType[] {
  const ordered: ResourceType[] = [];
  const visit = (type: ResourceType, within: readonly string[]): void => {
    if (ordered.includes(type) || within.includes(type.name)) return;
    for (const { names } of Object.values(type.schema.attributes)) {
      const named = types.find(({ name }) => name === names);
      if (named !== undefined) visit(named, [...within, type.name]);
    }
    ordered.push(type);
  };
  for (const type of types) visit(type, []);
  return ordered;
}

function isListable({ container, recordOnly }: ResourceType): boolean {
  return recordOnly !== true && (container === undefined || container.listed === true);
}
