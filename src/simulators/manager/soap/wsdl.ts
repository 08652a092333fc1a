/**
 * The schema of the manager's interface as a table: which members a type has, in which order, from
 * which version on. Requests are checked against it, and replies written by it.
 *
 * Notation, one type per line, continued on indented lines: `Type < Base: member Type; …`. A type
 * with `@` is a reference to a managed object; `?` marks optional members, `*` lists; a number
 * behind is the version that the member came with, if that is later than 5.1.
 */

import { isAtLeast } from "../../kit/version.ts";
import { dataTypes } from "./wsdl-data.ts";
import { managedTypes } from "./wsdl-managed.ts";
import { requestTypes } from "./wsdl-requests.ts";

export type WsdlMember = {
  readonly name: string;
  /** A type of the table, a simple type, an enumeration, or the type that a reference names. */
  readonly type: string;
  readonly isReference: boolean;
  readonly card: "one" | "optional" | "many";
  /** Null for what 5.1 has. */
  readonly since: string | null;
};

export type WsdlType = {
  readonly name: string;
  readonly base: string | null;
  readonly isManaged: boolean;
  /** Own members, without those of the base. */
  readonly members: readonly WsdlMember[];
};

/** Types whose values are text, written with the prefix of XML Schema. */
const schemaTypes = [
  "string",
  "boolean",
  "int",
  "long",
  "short",
  "byte",
  "dateTime",
  "anyType",
] as const;

/** Text types of the interface that XML Schema writes as string. */
const textTypes: ReadonlySet<string> = new Set(["TypeName", "PropertyPath", "MethodName"]);

/** Enumerations: text that keeps the name of its type. */
const enumerations: ReadonlySet<string> = new Set([
  "EventFilterSpecRecursionOption",
  "HostSystemConnectionState",
  "HostSystemPowerState",
  "ManagedEntityStatus",
  "MetricAlarmOperator",
  "ObjectUpdateKind",
  "PropertyChangeOp",
  "SharesLevel",
  "StateAlarmOperator",
  "TaskFilterSpecRecursionOption",
  "TaskFilterSpecTimeOption",
  "TaskInfoState",
  "VirtualDeviceConfigSpecFileOperation",
  "VirtualDeviceConfigSpecOperation",
  "VirtualMachineConnectionState",
  "VirtualMachineMovePriority",
  "VirtualMachinePowerState",
  "VirtualMachineRelocateTransformation",
  "VirtualMachineToolsStatus",
  "VirtualSCSISharing",
]);

/** Members of the notation, such as `spec VirtualMachineConfigSpec; priority int?`. */
export function readMemberList(text: string): readonly WsdlMember[] {
  return text
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map(readMember);
}

function readMember(text: string): WsdlMember {
  const match = /^(\w+)\s+(@?)(\w+)([?*]?)(?:\s+(\d+\.\d+))?$/.exec(text);
  if (match === null) throw new RangeError(`no member: ${text}`);
  const [, name = "", at, type = "", card, since] = match;
  return {
    name,
    type: textTypes.has(type) ? "string" : type,
    isReference: at === "@",
    card: card === "?" ? "optional" : card === "*" ? "many" : "one",
    since: since ?? null,
  };
}

function readTable(text: string, ofManaged: boolean): readonly WsdlType[] {
  return text
    .trim()
    .replaceAll(/\n\s+/g, " ")
    .split("\n")
    .map((line) => {
      const match = /^(\w+)(?: < (\w+))?:(.*)$/.exec(line);
      if (match === null) throw new RangeError(`no type: ${line}`);
      const [, name = "", base, members = ""] = match;
      return { name, base: base ?? null, isManaged: ofManaged, members: readMemberList(members) };
    });
}

const types: ReadonlyMap<string, WsdlType> = new Map(
  [
    ...readTable(managedTypes, true),
    ...readTable(dataTypes, false),
    ...readTable(requestTypes, false),
  ].map((type) => [type.name, type]),
);

/** The type is one of managed objects, which have properties. */
export function isManaged(name: string): boolean {
  return types.get(name)?.isManaged === true;
}

export function wsdlType(name: string): WsdlType | undefined {
  return types.get(name);
}

/** Members with those of the base types first, which is their order on the wire. */
export function membersOf(name: string, version: string): readonly WsdlMember[] {
  const type = types.get(name);
  if (type === undefined) return [];
  const inherited = type.base === null ? [] : membersOf(type.base, version);
  return [...inherited, ...type.members.filter((member) => isSince(member, version))];
}

/** The version has the member. */
function isSince(member: WsdlMember, version: string): boolean {
  return member.since === null || isAtLeast(version, member.since);
}

/** A type is its own kind, and of the kind of its bases. */
export function isKindOf(name: string, wanted: string): boolean {
  for (let type = types.get(name); type !== undefined; type = types.get(type.base ?? "")) {
    if (type.name === wanted) return true;
  }
  return name === wanted;
}

export function isSchemaType(name: string): boolean {
  return schemaTypes.some((each) => each === name);
}

/** The value of the type is written as text. */
export function isTextual(name: string): boolean {
  return isSchemaType(name) || enumerations.has(name);
}
