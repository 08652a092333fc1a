/**
 * The steps of each VM that gets a power word, and of work that no attribute shows, in order. Left
 * out are operations that are only for when another one fails, such as the way back when the delete
 * inside a replace does not work.
 */

import type { Operation, OperationId } from "../../../model/operation/operation.ts";
import type { Plan } from "../../../model/plan/plan.ts";
import type { Address } from "../../../model/value/address.ts";
import { verbText } from "../../text/verb-text.ts";
import { orderOperations } from "../operation-order.ts";

/** Work of other objects that is named between two words; the rest is counted. */
const namedMax = 3;

/** `shutdown (fallback off) → add daemon_shared_folder.src → on` by the address of the VM. */
export function powerSteps(plan: Pick<Plan, "operations" | "joins">): ReadonlyMap<Address, string> {
  const { operations } = plan;
  const powered = new Set<Address>();
  const windows = new Map<string, Address>();
  const fallbacks = new Map<OperationId, string>();
  for (const { verb, disrupts, subject, effect, order } of operations) {
    const { address } = subject;
    if (order.fallbackFor !== undefined) fallbacks.set(order.fallbackFor, verb);
    if (disrupts.includes("reclaim")) powered.add(address);
    if (effect.kind !== "power") continue;
    powered.add(address);
    if (order.window !== undefined) windows.set(order.window.id, address);
  }
  const steps = new Map<Address, Step[]>();
  if (powered.size === 0) return new Map();
  const unlikely = new Set<OperationId>();
  for (const operation of orderOperations(plan)) {
    if (operation.order.fallbackFor !== undefined) continue;
    if (isUnlikely(operation, unlikely)) {
      unlikely.add(operation.id);
      continue;
    }
    const { address } = operation.subject;
    const { window } = operation.order;
    const owner = powered.has(address) ? address : windows.get(window?.id ?? "");
    if (owner === undefined) continue;
    const list = steps.get(owner) ?? [];
    list.push(stepOf(operation, owner, fallbacks.get(operation.id)));
    steps.set(owner, list);
  }
  return new Map([...steps].map(([address, list]) => [address, joinSteps(list)]));
}

/** Runs only after another operation has failed, or after such an operation. */
function isUnlikely(operation: Operation, unlikely: ReadonlySet<OperationId>): boolean {
  if (operation.order.branch?.when === "kept") return true;
  return operation.order.after.some(
    ({ id, on }) => on === "failure" || (on === "success" && unlikely.has(id)),
  );
}

type Step = { readonly text: string; readonly own: boolean };

function stepOf(operation: Operation, owner: Address, fallback: string | undefined): Step {
  const own = operation.subject.address === owner;
  const verb = verbText(operation.verb);
  const text = own ? verb : `${verb} ${operation.subject.address}`;
  return { own, text: fallback === undefined ? text : `${text} (fallback ${fallback})` };
}

function joinSteps(steps: readonly Step[]): string {
  const groups: string[] = [];
  let others: string[] = [];
  const close = (): void => {
    if (others.length === 0) return;
    const more = others.length - namedMax;
    const named = others.slice(0, namedMax).join(", ");
    groups.push(more > 0 ? `${named} and ${more} more` : named);
    others = [];
  };
  for (const step of steps) {
    if (!step.own) {
      others.push(step.text);
      continue;
    }
    close();
    groups.push(step.text);
  }
  close();
  return groups.join(" → ");
}
