/** Verbs of operations as people read them: `wait-ip_address` is the wait for an attribute. */

import type { OperationId } from "../../model/operation/operation.ts";

const waitPrefix = "wait-";

/** `wait for ip_address`; other verbs stand as they are. */
export function verbText(verb: string): string {
  return verb.startsWith(waitPrefix) ? `wait for ${verb.slice(waitPrefix.length)}` : verb;
}

/** The verb in `daemon_vm.web#on.1`; instance keys may hold `#` too, so the last one counts. */
export function operationVerb(id: OperationId): string {
  const verb = /#([^#]*?)(?:\.\d+)?$/.exec(id)?.[1];
  return verb === undefined || verb === "" ? id : verb;
}
