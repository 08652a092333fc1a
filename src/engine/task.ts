/** Following a remote task: only `success` is success; unknown words keep polling. */

import type { Clock } from "../model/clock.ts";
import type { ProviderSession, TaskStatus } from "../model/provider.ts";
import { RemoteError } from "../model/remote-error.ts";
import type { Value } from "../model/value.ts";

const pauseFirstMs = 200;
const pauseLastMs = 5_000;

/**
 * Polls until the task ended or `untilMs` has passed. `vanished` means the object decides. A poll
 * that fails is repeated: it says nothing about the task.
 */
export async function followTask(
  session: ProviderSession,
  clock: Clock,
  handle: Value,
  untilMs: number,
): Promise<TaskStatus> {
  let pauseMs = pauseFirstMs;
  for (;;) {
    const status = await pollOnce(session, handle);
    if (status.status !== "running") return status;
    if (clock.now() >= untilMs) {
      return { status: "failed", message: `the remote task is still ${status.word}` };
    }
    await clock.sleep(Math.max(1, Math.min(pauseMs, untilMs - clock.now())));
    pauseMs = Math.min(pauseMs * 2, pauseLastMs);
  }
}

async function pollOnce(session: ProviderSession, handle: Value): Promise<TaskStatus> {
  if (session.poll === undefined) return { status: "vanished" };
  try {
    return await session.poll(handle);
  } catch (error) {
    if (error instanceof RemoteError) return { status: "running", word: error.message };
    throw error;
  }
}
