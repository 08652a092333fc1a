/** What one pass of reading shares, and observations that are no success. */

import type { Observation, Wanted } from "../../../model/provider/observation.ts";
import { textIn } from "../../kit/narrow.ts";
import { failed, missing } from "../../kit/reading.ts";
import type { ManagerPorts } from "../part.ts";
import type { Machine, Machines } from "./machines.ts";

/** What is asked about one object. */
export type Asked = Omit<Wanted, "address" | "type">;

export type Pass = { readonly ports: ManagerPorts; readonly machines: Machines };

/** What was not found is missing only where the server says so. */
export function absent(machine: Exclude<Machine, { status: "found" }>): Observation {
  return machine.status === "gone" ? missing(machine.proof) : failed(machine.reason);
}

export function lookupText({ lookup = {} }: Asked, name: string): string | undefined {
  return textIn(lookup, name);
}
