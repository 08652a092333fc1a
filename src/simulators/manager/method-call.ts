/** One call of a method, as the table of methods hands it on, and what it may answer. */

import type { TaskPlan } from "../kit/task.ts";
import type { ManagerContext } from "./objects/context.ts";
import type { ManagerFault } from "./soap/fault.ts";
import type { DataObject, Reference, SoapValue } from "./soap/soap-value.ts";
import type { ManagerSession } from "./world/session-record.ts";

export type MethodCall = ManagerContext & {
  /** The object that the method is called on; it is there. */
  readonly target: Reference;
  /** Parameters by name. */
  readonly params: DataObject;
  readonly userAgent: string;
  /** How a fault wants the task to end that this call begins. */
  readonly plan: TaskPlan | undefined;
};

/** A call within a session. */
export type UserCall = MethodCall & { readonly session: ManagerSession };

export type MethodResult = {
  readonly value?: SoapValue;
  /** The call changed the world. */
  readonly effect?: boolean;
  readonly violation?: string;
  /** The session that the answer's cookie names. */
  readonly cookie?: string;
  /** There is nothing to tell yet; nothing else counts. */
  readonly waiting?: Waiting;
};

/** An answer that comes when there is something to tell, or without a value at its limit. */
export type Waiting = {
  readonly untilMs: number;
  /** Undefined while there is nothing to tell. */
  readonly look: (nowMs: number) => MethodAnswer | undefined;
};

export type MethodAnswer = MethodResult | ManagerFault;
