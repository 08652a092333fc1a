/** One request to the appliance, and replies in both forms of its interface. */

import type { ApplianceMachine } from "../appliance-machine.ts";
import type { Answer, Exchange, SimulatorReply, SimulatorRequest } from "../kit/answer.ts";
import { unchanged } from "../kit/answer.ts";
import type { SimulatorClock } from "../kit/clock.ts";
import type { TaskPlan } from "../kit/task.ts";
import type { ApplianceState } from "./appliance-state.ts";

/** Under `/rest` until now, under `/api` from 7.0 on: bodies and errors differ (wire facts C). */
export type WireForm = "rest" | "api";

/** What a request to the appliance needs besides itself. */
export type ApplianceContext = {
  readonly state: ApplianceState;
  /** Its VM as it is now; undefined where the manager has none. */
  readonly machine: () => ApplianceMachine | undefined;
  readonly clock: SimulatorClock;
  /** Aborted when the simulators stop. */
  readonly signal: AbortSignal;
  readonly exchange: Exchange;
  readonly plan: TaskPlan | undefined;
};

export type ApplianceCall = ApplianceContext & {
  readonly form: WireForm;
  readonly request: SimulatorRequest;
  /** Simulated time of the request, milliseconds. */
  readonly nowMs: number;
};

export type ApplianceError = {
  readonly status: number;
  /** Last part of the type, such as `resource_busy`. */
  readonly name: string;
  readonly id: string;
  readonly message: string;
};

/** A JSON value, as text; a text or a list is a whole body, too. */
export function valueReply(form: WireForm, value: string | object, status = 200): SimulatorReply {
  return {
    status,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(form === "rest" ? { value } : value),
  };
}

/** Without a body there is no content type either (wire facts C.1). */
export function emptyReply(status: number): SimulatorReply {
  return { status, headers: {}, body: "" };
}

/** Tells the appliance's own clock: a client asks for samples by it. */
export function applianceDated(reply: SimulatorReply, nowMs: number): SimulatorReply {
  return { ...reply, headers: { ...reply.headers, date: new Date(nowMs).toUTCString() } };
}

/** Errors are matched by the last part of their type (wire facts C.4). */
export function errorReply(form: WireForm, error: ApplianceError): SimulatorReply {
  const messages = [{ args: [], default_message: error.message, id: error.id }];
  const body =
    form === "rest"
      ? { type: `com.vmware.vapi.std.errors.${error.name}`, value: { messages } }
      : { error_type: error.name.toUpperCase(), messages };
  return {
    status: error.status,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
}

/** `violation`: no correct client would have sent the request. */
export function refuse(
  { form }: Pick<ApplianceCall, "form">,
  error: ApplianceError,
  violation = false,
): Answer {
  const answer = unchanged(errorReply(form, error));
  return violation ? { ...answer, violation: error.message } : answer;
}

export function invalidArgument(message: string): ApplianceError {
  const id = "com.vmware.vapi.rest.invalid_argument";
  return { status: 400, name: "invalid_argument", id, message };
}

export function notFound(): ApplianceError {
  const id = "com.vmware.vapi.rest.httpNotFound";
  return { status: 404, name: "not_found", id, message: "Not found." };
}

export function resourceBusy(): ApplianceError {
  const id = "com.vmware.appliance.storage.resize_in_progress";
  return { status: 500, name: "resource_busy", id, message: "A resize is in progress." };
}

export function serviceUnavailable(): ApplianceError {
  const id = "com.vmware.vapi.endpoint.unavailable";
  return { status: 503, name: "service_unavailable", id, message: "Service unavailable." };
}
