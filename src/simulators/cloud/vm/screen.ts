/**
 * Screen tickets (specification, section A, endpoint 3; wire facts A.4.1): only for a VM that is
 * on, valid for 30 seconds, opened once with the console of the control surface. A ticket changes
 * nothing of the inventory, and is forgotten with the process.
 */

import { createHash } from "node:crypto";
import type { Answer } from "../../kit/answer.ts";
import type { UserCall } from "../rest/call.ts";
import { findTarget, refuse, show } from "../rest/call.ts";
import { elementOf } from "../rest/document.ts";
import { badRequest, isRefusal, notPossible } from "../rest/refusal.ts";
import type { CloudState } from "../world/cloud-state.ts";
import { settleCloud } from "../world/cloud-state.ts";
import { vmStatus } from "../world/inventory.ts";

/** Life of a ticket (wire facts A.4.1). */
const ticketMs = 30_000;

export function acquireTicket(call: UserCall): Answer {
  const target = findTarget(call);
  if (isRefusal(target)) return refuse(call, target);
  if (target.kind !== "vm") return refuse(call, badRequest("Only a VM has a screen."));
  const { vm } = target;
  if (vm.status !== vmStatus.on) {
    return refuse(call, notPossible("VM", vm.name, "is not powered on"));
  }
  const { state, draft, nowMs } = call;
  const value = ticketValue(state);
  const expiresMs = nowMs + ticketMs;
  state.nextTicket += 1;
  state.tickets = [...state.tickets, { value, vmId: vm.id, expiresMs }];
  const url = `mks://console.example/${vm.moref}?ticket=${value}`;
  const root = elementOf(draft, "ScreenTicket", {}, [url]);
  return show(call, "screenticket", root);
}

/** Opens the console of a VM that is on, if the URL's ticket is valid; it never is again. */
export function openConsole(state: CloudState, url: string, nowMs: number): boolean {
  settleCloud(state, nowMs);
  const match = /\/([^/?]+)\?ticket=([^&\s]+)$/.exec(url.trim());
  const ticket = state.tickets.find((each) => each.value === match?.[2]);
  const vm = ticket === undefined ? undefined : state.vms.get(ticket.vmId);
  if (vm === undefined || vm.moref !== match?.[1] || vm.status !== vmStatus.on) return false;
  state.tickets = state.tickets.filter((each) => each !== ticket);
  return true;
}

/** Percent-encoded: the ticket itself holds `/`, `+`, `=` and `:`. */
function ticketValue(state: CloudState): string {
  const bytes = createHash("sha512").update(`${state.seed}:ticket:${state.nextTicket}`).digest();
  const print = [...bytes.subarray(0, 20)]
    .map((byte) => byte.toString(16).toUpperCase().padStart(2, "0"))
    .join(":");
  return encodeURIComponent(`cst-${bytes.toString("base64")}/+=--tp-${print}--`);
}
