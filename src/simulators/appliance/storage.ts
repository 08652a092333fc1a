/**
 * Disks, partitions, and the resize that makes grown disks usable (specification, section C; wire
 * facts C.2, C.3).
 */

import { createHash } from "node:crypto";
import type { Answer } from "../kit/answer.ts";
import { changed, unchanged } from "../kit/answer.ts";
import type { ApplianceResize } from "./appliance-state.ts";
import {
  beginResize,
  runningResize,
  settleAppliance,
  sizeAt,
  usableKb,
} from "./appliance-state.ts";
import type { ApplianceCall } from "./call.ts";
import { emptyReply, refuse, resourceBusy, valueReply } from "./call.ts";

/** Which partition is on which disk; no sizes. In no order that means anything. */
export function listStorage({ state, form }: ApplianceCall): Answer {
  const { rules, partitions } = state.world;
  if (rules.storage_list === "empty") return unchanged(valueReply(form, []));
  const shuffled = [...partitions].sort((a, b) =>
    shuffleKey(state.seed, a.name) < shuffleKey(state.seed, b.name) ? -1 : 1,
  );
  const items = shuffled.map(({ name, disk }) => ({
    disk: String(disk),
    partition: name,
    ...(rules.release === "6.5" ? {} : { description: describe(name) }),
  }));
  return unchanged(valueReply(form, items));
}

function shuffleKey(seed: number, name: string): string {
  return createHash("sha256").update(`${seed}:${name}`).digest("hex");
}

function describe(name: string) {
  return {
    id: `com.vmware.applmgmt.mon.name.storage.${name}`,
    default_message: `Storage of ${name}`,
    args: [],
  };
}

export function getHealth({ state, form }: ApplianceCall): Answer {
  return unchanged(valueReply(form, state.world.health));
}

export async function resize(call: ApplianceCall): Promise<Answer> {
  return perform(call, () => emptyReply(call.form === "rest" ? 200 : 204));
}

/** Tells what has grown, in kilobytes (wire facts C.2). */
export async function resizeEx(call: ApplianceCall): Promise<Answer> {
  return perform(call, ({ grown }) => {
    const entries = grown.map(
      ({ name, oldKb, newKb }) => [`lv_${name}_0`, { old_size: oldKb, new_size: newKb }] as const,
    );
    return call.form === "rest"
      ? valueReply(
          "rest",
          entries.map(([key, value]) => ({ key, value })),
        )
      : valueReply("api", Object.fromEntries(entries));
  });
}

/**
 * One long request without a task: it goes on when the client leaves, and when the simulator
 * stops. What has grown is settled by the disks as they are at its begin.
 */
async function perform(
  call: ApplianceCall,
  success: (resize: ApplianceResize) => ReturnType<typeof emptyReply>,
): Promise<Answer> {
  const { state, nowMs, clock, plan } = call;
  if (runningResize(state) !== undefined) return refuse(call, resourceBusy());
  const begun = beginResize(state, {
    startMs: nowMs,
    endMs: nowMs + state.world.durations.resize,
    grown: growthOf(call),
    failure:
      plan === undefined || plan.end === "success"
        ? null
        : (plan.error?.message ?? "The resize failed."),
    effect: plan?.effect ?? true,
  });
  if (begun.endMs > nowMs) {
    await call.exchange.accepted();
    await clock.until(begun.endMs, call.signal);
  }
  settleAppliance(state, clock.now());
  if (begun.failure === null) return changed(success(begun));
  const status = call.form === "rest" ? 400 : 500;
  const id = "com.vmware.appliance.storage.resize_failed";
  const refused = refuse(call, { status, name: "error", id, message: begun.failure });
  return { ...refused, effect: true };
}

/** Partitions whose disks have more room than they use; they never become smaller. */
function growthOf({ state, machine, nowMs }: ApplianceCall): ApplianceResize["grown"] {
  const disks = machine()?.disks ?? [];
  return state.world.partitions.flatMap((partition) => {
    const disk = disks.find((each) => each.number === partition.disk);
    const oldKb = sizeAt(partition, nowMs);
    const newKb = disk === undefined ? oldKb : usableKb(disk.sizeKb);
    return newKb > oldKb ? [{ name: partition.name, oldKb, newKb }] : [];
  });
}
