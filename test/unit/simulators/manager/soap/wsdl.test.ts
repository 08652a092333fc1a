/** The schema table: whole, and the same in both directions. */

import fc from "fast-check";
import { expect, test } from "vitest";
import type { XmlElement } from "../../../../../src/lib/xml/xml.ts";
import { parseXml } from "../../../../../src/lib/xml/xml-reader.ts";
import { isAtLeast } from "../../../../../src/simulators/kit/version.ts";
import { decodeMembers } from "../../../../../src/simulators/manager/soap/soap-decode.ts";
import { encodeMember } from "../../../../../src/simulators/manager/soap/soap-encode.ts";
import type {
  DataObject,
  SoapValue,
} from "../../../../../src/simulators/manager/soap/soap-value.ts";
import type { WsdlMember } from "../../../../../src/simulators/manager/soap/wsdl.ts";
import {
  isKindOf,
  isTextual,
  membersOf,
  readMemberList,
  wsdlType,
} from "../../../../../src/simulators/manager/soap/wsdl.ts";
import { amount } from "../../../../helpers/amount.ts";

const requestTypes = [
  "AlarmSpec",
  "EventFilterSpec",
  "PropertyFilterSpec",
  "RetrieveOptions",
  "TaskFilterSpec",
  "VirtualDeviceConfigSpec",
  "VirtualMachineRelocateSpec",
];

/** Types that stand for an abstract one; an element of it says which it is. */
const concrete: { readonly [base: string]: readonly string[] } = {
  Action: ["SendEmailAction", "RunScriptAction", "SendSNMPAction"],
  AlarmAction: ["AlarmTriggeringAction"],
  AlarmExpression: ["EventAlarmExpression", "StateAlarmExpression", "OrAlarmExpression"],
  SelectionSpec: ["SelectionSpec", "TraversalSpec"],
  VirtualDevice: ["VirtualDisk", "VirtualCdrom"],
  VirtualDeviceBackingInfo: ["VirtualDiskFlatVer2BackingInfo", "VirtualDiskSeSparseBackingInfo"],
};

function isSimulated(member: WsdlMember): boolean {
  return member.isReference || isTextual(member.type) || wsdlType(member.type) !== undefined;
}

function valueOf(member: WsdlMember, version: string, depth: number): fc.Arbitrary<SoapValue> {
  const id = fc.stringMatching(/^[a-z]{1,5}-\d{1,3}$/);
  if (member.isReference) {
    const ref = member.type === "ManagedObject" ? "Folder" : member.type;
    return id.map((each) => ({ ref, id: each }));
  }
  switch (member.type) {
    case "boolean":
      return fc.boolean();
    case "int":
    case "long":
    case "short":
      return fc.maxSafeInteger();
    case "dateTime":
      return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
    default:
      return isTextual(member.type)
        ? fc.stringMatching(/^[ -~éß]{0,12}$/)
        : fc
            .constantFrom(...(concrete[member.type] ?? [member.type]))
            .chain((type) => objectOf(type, version, depth + 1));
  }
}

/** Any object of the type: optional members may be missing, lists may be empty. */
function objectOf(type: string, version: string, depth = 0): fc.Arbitrary<DataObject> {
  const model: { [name: string]: fc.Arbitrary<SoapValue> } = {};
  const required: string[] = [];
  for (const member of membersOf(type, version)) {
    // Deep structures end: what may be missing is. So is what is not simulated.
    if (!isSimulated(member) || (depth > 1 && member.card !== "one")) {
      if (member.card === "many") {
        model[member.name] = fc.constant([]);
        required.push(member.name);
      }
      continue;
    }
    const one = valueOf(member, version, depth);
    model[member.name] = member.card === "many" ? fc.array(one, { maxLength: 2 }) : one;
    if (member.card !== "optional") required.push(member.name);
  }
  return fc.record(model, { requiredKeys: required }).map((members) => ({ ...members, is: type }));
}

const envelope = { version: "6.5" };
const wrapper = 'xmlns="urn:vim25" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';

function written(object: DataObject): XmlElement {
  const member = { type: object.is, isReference: false };
  return parseXml(`<call ${wrapper}>${encodeMember("spec", member, object, envelope)}</call>`);
}

function decoded(element: XmlElement, type: string): unknown {
  const place = { ...envelope, of: "call" };
  return decodeMembers(element, readMemberList(`spec ${type}`), place);
}

test.each(requestTypes)("any %s is read as it is written", (type) => {
  fc.assert(
    fc.property(objectOf(type, envelope.version), (object) => {
      const result = decoded(written(object), type);
      // Lists that are not there are read as empty ones.
      expect(result).toEqual({ spec: object });
    }),
    { numRuns: amount(4, 15) },
  );
});

/** Types with at least two members. */
const ordered = requestTypes.filter((type) => membersOf(type, envelope.version).length > 1);

test.each(ordered)("a %s whose members stand in another order is refused", (type) => {
  fc.assert(
    fc.property(objectOf(type, envelope.version), (object) => {
      const element = written(object);
      const spec = element.children.find((child) => typeof child !== "string");
      if (spec === undefined) throw new Error("no spec");
      const names = spec.children.map((child) => (typeof child === "string" ? "" : child.local));
      fc.pre(new Set(names).size > 1);
      const turned = { ...element, children: [{ ...spec, children: spec.children.toReversed() }] };
      expect(decoded(turned, type)).toMatchObject({ fault: "InvalidRequest" });
    }),
    { numRuns: amount(3, 10) },
  );
});

test("members of a base stand first, and later versions have more", () => {
  const names = (version: string) => membersOf("VirtualDisk", version).map((each) => each.name);
  expect(names("5.1").slice(0, 2)).toEqual(["key", "deviceInfo"]);
  expect(names("5.1")).not.toContain("capacityInBytes");
  expect(names("5.5").indexOf("capacityInBytes")).toBe(names("5.5").indexOf("capacityInKB") + 1);
  expect(isKindOf("VirtualLsiLogicController", "VirtualDevice")).toBe(true);
  expect(isKindOf("VirtualDevice", "VirtualDisk")).toBe(false);
});

test.each([
  ["6.5", "6.5", true],
  ["6.10", "6.9", true],
  ["5.5", "6.0", false],
  ["6.7.1", "6.7", true],
])("%s is at least %s: %s", (version, wanted, is) => {
  expect(isAtLeast(version, wanted)).toBe(is);
});
