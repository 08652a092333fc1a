/** What an object is called elsewhere, by its own type and by that of its container. */

import type { ContainerKey, EntityKey } from "../operation/operation.ts";
import type { RecordedObject } from "../recorded/recorded.ts";
import type { Attributes } from "../value/value.ts";
import type { TypeRegistry } from "./provider.ts";

type AliasSubject = {
  readonly type: string;
  readonly identity: string;
  readonly attributes: Attributes;
  readonly facts?: Attributes | undefined;
  /** Attributes are known where the container is recorded as well. */
  readonly container?:
    | { readonly type: string; readonly identity: string; readonly attributes: Attributes }
    | undefined;
};

export function aliasesOf(types: TypeRegistry, subject: AliasSubject): readonly EntityKey[] {
  const { type, identity, attributes, facts, container } = subject;
  const own = types[type]?.aliases?.(identity, attributes, facts) ?? [];
  const holder = types[container?.type ?? ""];
  const outer =
    container === undefined
      ? []
      : (holder?.aliases?.(container.identity, container.attributes) ?? []);
  return [...new Set([...own, ...outer])];
}

/** Of a recorded object; `holderOf` gives the record of what it is content of. */
export function aliasesOfRecorded(
  types: TypeRegistry,
  { type, identity, attributes, container }: RecordedObject,
  holderOf: (container: ContainerKey) => RecordedObject | undefined,
): readonly EntityKey[] {
  if (container === undefined) return aliasesOf(types, { type, identity, attributes });
  const known = { ...container, attributes: holderOf(container)?.attributes ?? {} };
  return aliasesOf(types, { type, identity, attributes, container: known });
}
