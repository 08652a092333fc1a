/**
 * Refusals of the daemon: one envelope `{"code", "message"}` whose code repeats the HTTP status,
 * nearly always 500; the message has the form of the VIX library's errors (wire facts B.2).
 */

import type { SimulatorReply } from "../kit/answer.ts";
import { jsonReply } from "../kit/answer.ts";

/** An error the daemon answers instead of doing what was asked. */
export type Refusal = {
  readonly refused: true;
  readonly status: number;
  readonly message: string;
};

/** Texts of the library's error codes (wire facts B.2; the reference's error table). */
const vixTexts = {
  3: "One of the parameters was invalid",
  4: "The file was not found",
  5: "The object is busy",
  6: "Shared folders are disabled",
  10: "The operation was canceled",
  15: "The file is already in use",
  23: "Already exists",
  25: "The object was not found",
  3000: "Timeout error while waiting for the guest tools to start",
  3006: "The virtual machine needs to be powered on",
  3007: "The virtual machine should not be powered on. It appears to be running already",
  3009: "Cannot execute scripts",
  3016: "Guest tools is not running",
} as const;

export type VixCode = keyof typeof vixTexts;

export function vixRefusal(code: VixCode, operation: string): Refusal {
  return plainRefusal(`VIX Error: ${vixTexts[code]}, code: ${code}, operation: ${operation}`);
}

/** For an id that no VM has: the text of a failed file access, not a 404 (wire facts B.2). */
export function unknownVm(id: string): Refusal {
  return plainRefusal(`lstat /vms/${id}/${id}.vmx: no such file or directory`);
}

/** An error without a library code, such as one from reading the request (wire facts B.2). */
export function plainRefusal(message: string, status = 500): Refusal {
  return { refused: true, status, message };
}

export function isRefusal(value: object): value is Refusal {
  return "refused" in value && value.refused === true;
}

export function refusalReply(refusal: Refusal): SimulatorReply {
  return envelopeReply(refusal.status, refusal.message);
}

/** The envelope of status messages, power, addresses and errors (wire facts B.2). */
export function envelopeReply(status: number, message: string): SimulatorReply {
  return jsonReply(status, { code: status, message });
}
