/** Several addresses in a sentence. */

import { shellWord } from "../../lib/shell-word.ts";
import type { Address } from "./address.ts";

/** Addresses that are named; the rest is counted. */
const namedMax = 10;

/** `a, b, c and 7 more` */
export function addressesText(addresses: Iterable<Address>): string {
  const names = [...addresses];
  const more = names.length - namedMax;
  const named = names.slice(0, namedMax).join(", ");
  return more > 0 ? `${named} and ${more} more` : named;
}

/** How an address is written on a command line; a shell that took its quotes away is told. */
export function addressAdvice(text: string, example = "daemon_vm.web"): string {
  const plain = `Write it like ${example} or '${example}["a"]'.`;
  const quoted = text.replace(/\[([^\]"\d][^\]"]*)\]/g, '["$1"]');
  if (quoted === text) return plain;
  return `The shell takes quotes away; put the whole in single ones: ${shellWord(quoted)}`;
}
