/** Cancelling remote tasks that a run follows, because the user asked for it. */

import type { Operation, OperationId } from "../../model/operation/operation.ts";
import { RemoteError } from "../../model/operation/remote-error.ts";
import type { Address } from "../../model/value/address.ts";
import type { EnginePorts } from "../ports.ts";
import type { RunningTasks } from "./send.ts";

/**
 * Asks for each task to be cancelled, once. Whether it is tells the task itself, which is followed
 * until it ends: a cancel may come too late, or be ignored.
 */
export async function cancelTasks(
  ports: EnginePorts,
  tasks: RunningTasks,
  operations: readonly Operation[],
): Promise<void> {
  const cancels = operations.flatMap(({ id, subject: { address } }) => {
    const task = tasks.get(id);
    if (task === undefined) return [];
    return [cancelOne(ports, task, { id, address })];
  });
  await Promise.all(cancels);
}

async function cancelOne(
  { events }: EnginePorts,
  { session, handle }: NonNullable<ReturnType<RunningTasks["get"]>>,
  operation: { readonly id: OperationId; readonly address: Address },
): Promise<void> {
  try {
    if (session.cancel === undefined) return;
    await session.cancel(handle);
    events({ kind: "task-cancelled", ...operation });
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    events({ kind: "task-cancelled", ...operation, problem: error.message });
  }
}
