/** The one recorded object that a command is about, found by what a person typed. */

import type { DesiredProvider } from "../../model/plan/desired.ts";
import type { ResourceType } from "../../model/provider/provider.ts";
import type { RecordedObject, RecordedState } from "../../model/recorded/recorded.ts";
import { type Address, resourceOf } from "../../model/value/address.ts";
import { addressesText } from "../../model/value/address-text.ts";
import type { Value } from "../../model/value/value.ts";
import { type CommandEnvironment, CommandError } from "../environment.ts";
import { nearAddressAdvice } from "../near-address.ts";
import { managedAddress } from "../written-address.ts";
import { settingsOfProvider } from "./provider-settings.ts";

export type RecordedSubject = {
  readonly record: RecordedObject;
  readonly type: ResourceType;
  /** Of its provider: as configured, else as last applied. */
  readonly settings: Value;
};

/**
 * `configured` are the providers of the configuration. Throws `CommandError`, with addresses like
 * it where there are some.
 */
export function recordedSubject(
  { types }: Pick<CommandEnvironment, "types">,
  state: RecordedState,
  configured: readonly DesiredProvider[],
  text: string,
): RecordedSubject {
  const address = managedAddress(text, "cloud_vm.web");
  const record = state.objects.find(
    (object) => object.address === address && object.objectKey === "current",
  );
  if (record === undefined) throw notRecorded(state, address);
  const type = types[record.type];
  if (type === undefined) {
    throw new CommandError(`${address} is recorded as ${record.type}, a type unknown here.`);
  }
  if (record.status === "tentative") {
    throw new CommandError(
      `${address} was begun to be made, and was never seen.`,
      "Find out whether it is there first, with: vmform apply",
    );
  }
  return { record, type, settings: settingsOfProvider(record.provider, configured, state) };
}

/** Addresses that are named in an error; the list command tells the rest. */
const namedMax = 3;
const list = "List what is recorded with: vmform state list";

function notRecorded(state: RecordedState, address: Address): CommandError {
  const addresses = [...new Set(state.objects.map((object) => object.address))];
  const instances = addresses.filter((item) => resourceOf(item) === address);
  if (instances.length > 0) {
    const some = addressesText(instances, namedMax);
    const detail = `${address} has ${instances.length} instances: ${some}.`;
    return new CommandError(detail, "Name one of them.");
  }
  const fix = nearAddressAdvice(address, addresses, list);
  return new CommandError(`Nothing is recorded at ${address}.`, fix);
}
