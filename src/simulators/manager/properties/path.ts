/**
 * Property paths such as `config.hardware.device` and `config.hardware.device[2000].backing`: what
 * stands there, of which type, and whether there can be anything at all (wire facts D.3).
 */

import type { ManagerFault } from "../soap/fault.ts";
import { faultOf } from "../soap/fault.ts";
import type { DataObject, SoapValue } from "../soap/soap-value.ts";
import { isList, isObject, numberIn, textIn } from "../soap/soap-value.ts";
import type { WsdlMember } from "../soap/wsdl.ts";
import { isTextual, membersOf } from "../soap/wsdl.ts";

export type PathResult =
  | {
      readonly kind: "value";
      readonly member: Pick<WsdlMember, "type" | "isReference" | "card">;
      readonly value: SoapValue;
    }
  /** There may be a value, and is none: the property is missing from answers. */
  | { readonly kind: "unset" }
  | { readonly kind: "invalid" };

/** Reads a path from an object's properties, by the schema of the version. */
export function readPath(object: DataObject, path: string, version: string): PathResult {
  let type = object.is;
  let at: DataObject | undefined = object;
  const parts = path.split(".");
  for (const [index, part] of parts.entries()) {
    const match = /^(\w+)(?:\["?([^\]"]+)"?\])?$/.exec(part);
    const member = membersOf(type, version).find((each) => each.name === match?.[1]);
    if (member === undefined) return { kind: "invalid" };
    const key = match?.[2];
    const isLast = index === parts.length - 1;
    const isWalkable = !member.isReference && !isTextual(member.type);
    if (key !== undefined && (member.card !== "many" || !isWalkable)) return { kind: "invalid" };
    if (!isLast && (!isWalkable || (member.card === "many" && key === undefined))) {
      return { kind: "invalid" };
    }
    const value: SoapValue | undefined = at?.[member.name];
    const found: SoapValue | undefined = key === undefined ? value : keyed(value, key);
    if (isLast) {
      if (found === undefined) return { kind: "unset" };
      const card = key === undefined ? member.card : "one";
      return { kind: "value", member: { ...member, card }, value: found };
    }
    if (key !== undefined && found === undefined) return { kind: "unset" };
    at = isObject(found) ? found : undefined;
    type = at?.is ?? member.type;
  }
  return { kind: "invalid" };
}

function keyed(value: SoapValue | undefined, key: string): SoapValue | undefined {
  if (!isList(value)) return undefined;
  return value.find(
    (item) => isObject(item) && String(numberIn(item, "key") ?? textIn(item, "key")) === key,
  );
}

/** For paths at which there can be nothing. */
export function invalidProperty(name: string): ManagerFault {
  return faultOf("InvalidProperty", `There is no property ${name}.`, { name });
}
