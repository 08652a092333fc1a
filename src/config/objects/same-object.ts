/** Finds resources that would manage one and the same remote object. */

import type { PlannedAttributes } from "../../model/value/value.ts";
import { placeText, type Report } from "../report.ts";
import type { Instance } from "./instance.ts";

/** Instances seen so far, by provider, type and identity. */
export type SeenObjects = Map<string, Instance>;

/** Reports an instance whose key attributes are known and equal to those of an earlier one. */
export function checkSameObject(
  instance: Instance,
  attributes: PlannedAttributes,
  seen: SeenObjects,
  report: Report,
): void {
  const { address, resource } = instance;
  const identity = resource.type.identityOf?.(attributes);
  if (identity === undefined) return;
  const key = JSON.stringify([resource.provider, resource.type.name, identity]);
  const first = seen.get(key);
  if (first === undefined) {
    seen.set(key, instance);
    return;
  }
  const keys = Object.values(resource.type.schema.attributes).filter((one) => one.key);
  const shown = keys.map(({ name }) => `${name} ${JSON.stringify(attributes[name])}`).join(", ");
  const where = placeText(first.resource.place);
  const detail = `${address} and ${first.address} (${where}) are the same object: ${shown}.`;
  const fix = "Give one of them another key, or remove it.";
  const place = placeOfKey(instance, keys[0]?.name);
  report.add("CFG036", { detail, fix, place, address, group: first.resource.key });
}

function placeOfKey(
  { resource }: Instance,
  key: string | undefined,
): Instance["resource"]["place"] {
  return resource.attributes.get(key ?? "")?.place ?? resource.place;
}
