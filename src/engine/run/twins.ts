/**
 * One machine at two addresses that want the same of it: what the one has done is not sent for the
 * other as well. Its interface may show it late, so that it is read for a while first; and a power
 * window for what is done by now is not opened.
 */

import { stringifyJson } from "../../lib/json.ts";
import type { EntityKey, Operation } from "../../model/operation/operation.ts";
import type { ProviderSession } from "../../model/provider/provider.ts";
import type { Address } from "../../model/value/address.ts";
import { settleAloud } from "../send/settling.ts";
import type { Settled } from "../settle.ts";
import type { Execution, Twins } from "./execution.ts";
import type { Changing } from "./moved-along.ts";

/** An interface shows within this time what was changed through the other, milliseconds. */
const twinLagMs = 15_000;

export function createTwins(): Twins {
  const last = new Map<EntityKey, Map<string, { readonly by: Address; readonly value: string }>>();
  return {
    done: (change) => {
      for (const key of keysOf(change)) {
        const known = last.get(key) ?? new Map();
        const by = change.subject.address;
        for (const [name, value] of wishesOf(change)) known.set(name, { by, value });
        last.set(key, known);
      }
    },
    doneBy: (change) => {
      const wishes = [...wishesOf(change)];
      for (const key of wishes.length === 0 ? [] : keysOf(change)) {
        const known = last.get(key);
        const by = wishes.map(([name, value]) => {
          const done = known?.get(name);
          return done?.value === value && done.by !== change.subject.address ? done.by : undefined;
        });
        if (by.every((one) => one !== undefined)) return by[0];
      }
      return undefined;
    },
    touches: (change) =>
      keysOf(change).some((key) =>
        [...(last.get(key)?.values() ?? [])].some(({ by }) => by !== change.subject.address),
      ),
    spared: new Set(),
  };
}

/** True of a word whose window is not needed: what it was for is done, and shown. */
export async function isSpared(
  execution: Execution,
  session: ProviderSession,
  operation: Operation,
): Promise<boolean> {
  const { twins, operations } = execution;
  const { window } = operation.order;
  const { address } = operation.subject;
  if (window === undefined || window.role === "member" || window.role === "close") return false;
  if (window.role !== "open" || twins.spared.has(window.id)) return twins.spared.has(window.id);
  if (!twins.touches(operation)) return false;
  const members = [...operations.values()].filter(
    ({ order }) => order.window?.id === window.id && order.window.role === "member",
  );
  if (members.length === 0) return false;
  if (members.some((member) => member.subject.address !== address)) return false;
  for (const member of members) {
    if ((await shownHere(execution, session, member))?.met !== true) return false;
  }
  twins.spared.add(window.id);
  return true;
}

/** Waits for what another address has done to show; undefined where nobody has. */
export async function shownHere(
  { ports, twins }: Pick<Execution, "ports" | "twins">,
  session: ProviderSession,
  operation: Operation,
): Promise<Settled | undefined> {
  const by = twins.doneBy(operation);
  if (by === undefined) return undefined;
  const { id } = operation;
  const what = `looking whether what ${by} has done shows here`;
  const untilMs = ports.clock.now() + twinLagMs;
  return settleAloud(ports, session, operation, { what, id, untilMs });
}

function keysOf({ order }: Changing): readonly EntityKey[] {
  return order.locks.flatMap(({ key, passing }) => (passing === true ? [] : [key]));
}

/** Wanted values by attribute; none where something else is expected too. */
function wishesOf({ effect, proof }: Changing): ReadonlyMap<string, string> {
  const wishes = new Map<string, string>();
  if (effect.kind !== "update" && effect.kind !== "power") return wishes;
  for (const item of proof.expect) {
    if (!("equals" in item)) return new Map();
    wishes.set(item.attribute, stringifyJson(item.equals));
  }
  return wishes;
}
