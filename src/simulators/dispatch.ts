/**
 * The course of one API request: logged, met by a fault if the script has one for it, answered by
 * its interface, saved if it changed the world, and replied to, in this order.
 */

import type { SimulatorCore } from "./core.ts";
import type { Fault, FaultAction } from "./faults.ts";
import { takeFault } from "./faults.ts";
import type { SimulatedInterface } from "./interfaces.ts";
import type { Exchange, SimulatorReply, SimulatorRequest } from "./kit/answer.ts";
import type { Connection, IncomingRequest } from "./kit/server.ts";
import { changeWorld } from "./outside-change.ts";

export async function dispatch(
  core: SimulatorCore,
  simulated: SimulatedInterface,
  incoming: IncomingRequest,
  connection: Connection,
): Promise<void> {
  // A request that was complete just before the stop must not change a world given back.
  if (core.signal.aborted) return;
  const request = requestOf(incoming);
  const requestClass = simulated.classify(request);
  const n = core.log.begin({
    at: core.clock.now(),
    interface: simulated.name,
    method: request.method,
    path: incoming.url,
    body: request.body,
    class: requestClass,
  });
  const fault = takeFault(core.faults, request, simulated.name);
  if (fault !== undefined) await beginFault(core, n, fault);
  const action: FaultAction = fault?.action ?? { kind: "none" };
  const early = earlyEnd(core, simulated, request, action);
  if (early !== undefined) {
    end(core, n, connection, requestClass === "mutate", early);
    return;
  }
  const exchange: Exchange = {
    async accepted() {
      core.log.update(n, { effect: true });
      await core.store.save();
      if (action.kind === "reset" && action.when === "during") connection.reset();
    },
    isGone: () => connection.isGone(),
  };
  const plan = action.kind === "task" ? action.plan : undefined;
  const answer = await simulated.answer(core, request, exchange, plan);
  const { effect, violation } = answer;
  core.log.update(n, violation === undefined ? { effect } : { effect, violation });
  if (answer.effect) await core.store.save();
  end(core, n, connection, requestClass === "mutate", lateEnd(action, answer.reply));
}

/** How the exchange ends on the wire. */
type WireEnd =
  | { readonly kind: "reply"; readonly reply: SimulatorReply }
  | { readonly kind: "cut"; readonly reply: SimulatorReply; readonly bytes: number }
  | { readonly kind: "reset" }
  | { readonly kind: "hang" };

function requestOf(incoming: IncomingRequest): SimulatorRequest {
  const split = incoming.url.indexOf("?");
  const rawQuery = split < 0 ? "" : incoming.url.slice(split + 1);
  return {
    method: incoming.method,
    path: split < 0 ? incoming.url : incoming.url.slice(0, split),
    query: new URLSearchParams(rawQuery),
    rawQuery,
    headers: incoming.headers,
    body: incoming.body,
  };
}

async function beginFault(core: SimulatorCore, n: number, fault: Fault): Promise<void> {
  core.log.update(n, { fault: fault.name });
  if (fault.change !== null) {
    changeWorld(core, fault.change, core.clock.now());
    await core.store.save();
  }
  if (fault.delayMs > 0) {
    await core.clock.until(core.clock.now() + fault.delayMs, core.signal);
  }
}

/** The end of a request that never reaches its interface. */
function earlyEnd(
  core: SimulatorCore,
  simulated: SimulatedInterface,
  request: SimulatorRequest,
  action: FaultAction,
): WireEnd | undefined {
  switch (action.kind) {
    case "reply":
      return action.effect ? undefined : { kind: "reply", reply: action };
    case "busy":
      return { kind: "reply", reply: simulated.busy(core, request) };
    case "refusal":
      return {
        kind: "reply",
        reply: simulated.refusal(core, request, { ...action, kind: action.code }),
      };
    case "reset":
      return action.when === "before" ? { kind: "reset" } : undefined;
    case "hang":
      return action.when === "before" ? { kind: "hang" } : undefined;
    case "cut":
    case "task":
    case "none":
      return undefined;
  }
}

function lateEnd(action: FaultAction, reply: SimulatorReply): WireEnd {
  switch (action.kind) {
    case "reply":
      return { kind: "reply", reply: action };
    case "cut":
      return { kind: "cut", reply, bytes: action.bytes };
    case "reset":
    case "hang":
      return { kind: action.kind };
    case "busy":
    case "refusal":
    case "task":
    case "none":
      return { kind: "reply", reply };
  }
}

/** Logs the end, then lets it happen. */
function end(
  core: SimulatorCore,
  n: number,
  connection: Connection,
  isMutation: boolean,
  wire: WireEnd,
): void {
  const reply = wire.kind === "reply" ? wire.reply : undefined;
  if (isMutation && reply !== undefined && reply.status >= 400) {
    core.log.update(n, { refused: true });
  }
  const isDelivered = reply !== undefined && !connection.isGone();
  core.log.end(n, isDelivered ? reply.status : null);
  switch (wire.kind) {
    case "reply":
      connection.reply(wire.reply);
      return;
    case "cut":
      connection.replyCut(wire.reply, wire.bytes);
      return;
    case "reset":
      connection.reset();
      return;
    case "hang":
      return;
  }
}
