/** Addresses as a person writes them on a command line, and the error for a text that is none. */

import { type Address, parseAddress, toAddress } from "../model/value/address.ts";
import { addressAdvice } from "../model/value/address-text.ts";
import { CommandError } from "./environment.ts";

/** With the way to write one. */
export function notAnAddress(text: string, example?: string): CommandError {
  const detail = `${JSON.stringify(text)} is not an address.`;
  return new CommandError(detail, addressAdvice(text, example), "usage");
}

/** The address of an object or of a data source. Throws `CommandError`. */
export function plannedAddress(text: string, example?: string): Address {
  const address = toAddress(text);
  if (address === undefined) throw notAnAddress(text, example);
  return address;
}

/** The address of something that can be recorded. Throws `CommandError`. */
export function managedAddress(text: string, example?: string): Address {
  const address = plannedAddress(text, example);
  if (parseAddress(address)?.mode !== "data") return address;
  throw new CommandError(`${address} is a data source, of which nothing is recorded.`);
}
