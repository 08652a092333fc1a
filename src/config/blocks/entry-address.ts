/** Addresses written in entries of `imports`. */

import { type Address, parseAddress, toAddress } from "../../model/value/address.ts";

export type WrittenAddress =
  | { readonly ok: true; readonly address: Address }
  | { readonly ok: false; readonly detail: string; readonly fix?: string };

/** The address of a managed resource or instance in any module. */
export function readAddress(text: string): WrittenAddress {
  const address = toAddress(text);
  if (address === undefined) {
    const detail = `${JSON.stringify(text)} is not an address.`;
    return { ok: false, detail, fix: 'Write it like daemon_vm.web or daemon_vm.web["a"].' };
  }
  if (parseAddress(address)?.mode === "data") {
    return { ok: false, detail: `${address} is a data source, of which nothing is recorded.` };
  }
  return { ok: true, address };
}
