/** Several addresses in a sentence. */

import { shellWord } from "../../lib/shell-word.ts";
import { compareAddresses, type Selector } from "./address.ts";

/** `a, b, c and 7 more`, in order: at most so many are named, the rest is counted. */
export function addressesText(addresses: Iterable<Selector>, namedMax = 10): string {
  const names = [...addresses].sort(compareAddresses);
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
