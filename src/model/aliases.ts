/** What an object is called elsewhere, by its own type and by that of its container. */

import type { EntityKey } from "./operation.ts";
import type { TypeRegistry } from "./provider.ts";
import type { Attributes } from "./value.ts";

export type AliasSubject = {
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
