/**
 * Faults: what the manager answers instead of a result, or writes into a task that failed (wire
 * facts D.3). Each is a data object of the schema with a message.
 */

import type { DataObject, Reference, SoapValue } from "./soap-value.ts";
import { isKindOf } from "./wsdl.ts";

export type ManagerFault = {
  /** Type of the fault. */
  readonly fault: string;
  readonly message: string;
  readonly members: { readonly [name: string]: SoapValue | undefined };
  /** Whether a correct client would not have sent the request; by default the type decides. */
  readonly violation?: boolean;
};

/**
 * Faults of requests that no client should send: malformed ones, and those which what the manager
 * shows forbids. A busy object, lost rights, an ended session and what is gone may meet any client.
 */
const violations: readonly string[] = [
  "InvalidRequest",
  "InvalidProperty",
  "InvalidArgument",
  "InvalidState",
  "NotSupported",
  "VmConfigFault",
  "InvalidName",
  "WipeDiskFault",
  "ShrinkDiskFault",
];

export function faultOf(
  fault: string,
  message: string,
  members: ManagerFault["members"] = {},
): ManagerFault {
  return { fault, message, members };
}

export function isFault(value: object): value is ManagerFault {
  return "fault" in value;
}

export function isViolation({ fault, violation }: ManagerFault): boolean {
  return violation ?? violations.some((each) => isKindOf(fault, each));
}

/** The fault as a data object. */
export function faultObject({ fault, members }: ManagerFault): DataObject {
  return { ...members, is: fault };
}

/** As tasks and missing properties hold it. */
export function localizedFault(fault: ManagerFault): DataObject {
  return {
    is: "LocalizedMethodFault",
    fault: faultObject(fault),
    localizedMessage: fault.message,
  };
}

/** For malformed requests; the texts resemble those of real servers. */
export function invalidRequest(message: string): ManagerFault {
  return faultOf("InvalidRequest", message);
}

export function notAuthenticated(object: Reference): ManagerFault {
  return faultOf("NotAuthenticated", "The session is not authenticated.", {
    object,
    privilegeId: "System.View",
  });
}

export function noPermission(object: Reference, privilegeId: string): ManagerFault {
  return faultOf("NoPermission", "Permission to perform this operation was denied.", {
    object,
    privilegeId,
  });
}

export function objectNotFound(obj: Reference): ManagerFault {
  const what = `'vim.${obj.ref}:${obj.id}'`;
  const message = `The object ${what} has already been deleted or has not been completely created`;
  return faultOf("ManagedObjectNotFound", message, { obj });
}

export function invalidArgument(invalidProperty: string): ManagerFault {
  const message = `A specified parameter was not correct: ${invalidProperty}`;
  return faultOf("InvalidArgument", message, { invalidProperty });
}

export function notSupported(message = "The operation is not supported on the object.") {
  return faultOf("NotSupported", message);
}

export function invalidPowerState(requested: string, existing: string): ManagerFault {
  const message = `The attempted operation cannot be performed while the VM is ${existing}.`;
  return faultOf("InvalidPowerState", message, {
    requestedState: requested,
    existingState: existing,
  });
}

export function taskInProgress(task: Reference): ManagerFault {
  const message = "The operation is not allowed: another task is already in progress.";
  return faultOf("TaskInProgress", message, { task });
}

export function toolsUnavailable(): ManagerFault {
  const message =
    "Cannot complete operation because the guest's tools are not running in this virtual machine.";
  return faultOf("ToolsUnavailable", message);
}
