/**
 * What the server's faults mean. The type is the `xsi:type` of the fault, or the name of its
 * element without `Fault` at its end (wire facts D.3); the server's own words are kept.
 */

import type { CallClass } from "../../../http/call.ts";
import { excerpt } from "../../../http/reply.ts";
import { textOf, type XmlElement } from "../../../lib/xml/xml.ts";
import {
  type RemoteEffect,
  RemoteError,
  type RemoteErrorKind,
} from "../../../model/operation/remote-error.ts";
import type { SoapFault } from "./client.ts";
import { childIn, listIn, textIn, typeOf } from "./element.ts";

const kinds: ReadonlyMap<string, RemoteErrorKind> = new Map([
  ["InvalidLogin", "unauthorized"],
  ["NotAuthenticated", "unauthorized"],
  ["NoPermission", "forbidden"],
  ["RestrictedVersion", "forbidden"],
  ["ManagedObjectNotFound", "not-found"],
  ["DuplicateName", "conflict"],
  ["AlreadyExists", "conflict"],
  ["FileAlreadyExists", "conflict"],
  ["TaskInProgress", "busy"],
  ["VAppTaskInProgress", "busy"],
  ["ConcurrentAccess", "busy"],
  ["ResourceInUse", "busy"],
  ["FileLocked", "busy"],
  ["InvalidArgument", "invalid"],
  ["InvalidDatastore", "invalid"],
  ["InvalidDatastorePath", "invalid"],
  ["InvalidFolder", "invalid"],
  ["InvalidName", "invalid"],
  ["InvalidProperty", "invalid"],
  ["InvalidRequest", "invalid"],
  ["InvalidType", "invalid"],
  ["MethodNotFound", "invalid"],
  ["NotImplemented", "invalid"],
  ["NotSupported", "invalid"],
  ["UnexpectedFault", "protocol"],
  ["SystemError", "protocol"],
  ["RuntimeFault", "protocol"],
  ["Timedout", "timeout"],
  ["RequestCanceled", "timeout"],
  ["HostCommunication", "unavailable"],
  ["HostNotConnected", "unavailable"],
  ["HostNotReachable", "unavailable"],
]);

/** After these the server may have done part of the work, or all of it. */
const undecided: ReadonlySet<RemoteErrorKind> = new Set(["protocol", "timeout", "unavailable"]);

/** Fields of a fault that tell more than its words, in the order they are told. */
const tellingFields = [
  "privilegeId",
  "requestedState",
  "existingState",
  "name",
  "file",
  "property",
];

/**
 * Kind of a fault. Any other named one is a refusal for what the object, or its host, is like:
 * `InvalidPowerState`, `ToolsUnavailable`, `InsufficientResourcesFault`, faults of devices and
 * files.
 */
export function kindOfFault({ type }: SoapFault): RemoteErrorKind {
  return kinds.get(type) ?? (type === "" ? "protocol" : "precondition");
}

/** The `Fault` element of an envelope. Its children have no namespace, or that of the envelope. */
export function readSoapFault(fault: XmlElement): SoapFault {
  const child = (local: string): XmlElement | undefined =>
    fault.children.find(
      (each): each is XmlElement => typeof each !== "string" && each.local === local,
    );
  const detail = child("detail")?.children.find(
    (each): each is XmlElement => typeof each !== "string",
  );
  const words = child("faultstring");
  return described(words === undefined ? "" : textOf(words), detail);
}

/** A `LocalizedMethodFault`, as tasks and properties that were not read hold it. */
export function readMethodFault(element: XmlElement): SoapFault {
  return described(textIn(element, "localizedMessage") ?? "", childIn(element, "fault"));
}

/** `InvalidPowerState: The attempted operation cannot be performed …`. */
export function describeFault({ type, message }: SoapFault): string {
  // More follows in the same sentence.
  const words = message.replace(/\.$/, "");
  if (type === "") return words === "" ? "a fault without words" : words;
  return words === "" ? type : `${type}: ${words}`;
}

/** The error that a fault means; `faultOf` finds it again. */
export function faultError(
  fault: SoapFault,
  { status, callClass }: { readonly status?: number; readonly callClass: CallClass },
): RemoteError {
  const kind = kindOfFault(fault);
  const effect: RemoteEffect = callClass === "mutate" && undecided.has(kind) ? "unknown" : "none";
  return new RemoteError({
    kind,
    effect,
    message: `the host manager answered ${describeFault(fault)}`,
    cause: fault,
    ...(status === undefined ? {} : { status }),
  });
}

/** The fault that an error was made of, whoever has retold it. */
export function faultOf(error: unknown): SoapFault | undefined {
  const cause = error instanceof RemoteError ? error.cause : undefined;
  return isFault(cause) ? cause : undefined;
}

function isFault(cause: unknown): cause is SoapFault {
  if (typeof cause !== "object" || cause === null || cause instanceof Error) return false;
  return "type" in cause && typeof cause.type === "string" && "message" in cause;
}

/** Id of the object that a fault is about, such as the one that is gone. */
export function objectOfFault(fault: SoapFault | undefined): string | undefined {
  return textIn(fault?.detail, "obj") ?? textIn(fault?.detail, "object");
}

function described(words: string, detail: XmlElement | undefined): SoapFault {
  const type = typeOf(detail) ?? detail?.local.replace(/Fault$/, "") ?? "";
  const more = listIn(detail, "faultMessage").flatMap((each) => textIn(each, "message") ?? []);
  const fields = tellingFields.flatMap((name) => {
    const value = textIn(detail, name);
    return value === undefined || value === "" ? [] : [`${name} ${value}`];
  });
  const told = [words.trim(), ...more].filter((text, index, all) => all.indexOf(text) === index);
  const message = [
    told.filter((text) => text !== "").join(" "),
    ...(fields.length === 0 ? [] : [`(${fields.join(", ")})`]),
  ];
  return {
    type,
    message: excerpt(message.join(" ")),
    ...(detail === undefined ? {} : { detail }),
  };
}
