/**
 * Integrity of recorded state: numbered invariants that hold for every state this tool writes,
 * checked right before each write and right after each read. The shape itself is the schema's.
 *
 *  1. Every address is canonical and managed, and names the type of its object.
 *  2. An address and object key stand once.
 *  3. Objects are sorted by address, then object key.
 *  4. One identity of a provider and type is not recorded under two addresses.
 *  5. An object is tentative exactly when it has a deadline.
 *  6. No chain of containers leads back to its beginning.
 *  7. Open operations are unique by plan and id.
 *  8. Restores are unique and sorted by address.
 *  9. Providers are unique and sorted by name.
 * 10. Outputs are unique by name.
 *
 * Absent on purpose: that a dependency or a container is recorded (it may have been forgotten, or
 * never been ours), and that a restore has an object (a killed replace has none for a while).
 */

import type { ContainerKey } from "../model/operation/operation.ts";
import type { RecordedObject, RecordedState } from "../model/recorded/recorded.ts";
import { type Address, compareAddresses, parseAddress, toAddress } from "../model/value/address.ts";

export type IntegrityProblem = {
  /** Number of the invariant above. */
  readonly invariant: number;
  readonly message: string;
  readonly address?: Address;
};

/** All violations, none for a state that is sound. Pure. */
export function verifyState(state: RecordedState): readonly IntegrityProblem[] {
  return [
    ...verifyAddresses(state),
    ...verifyOrder(state.objects),
    ...verifyIdentities(state.objects),
    ...verifyTentative(state.objects),
    ...verifyContainers(state.objects),
    ...verifyOpen(state),
    ...verifyRestores(state),
    ...verifyNames(9, "provider", state.providers, true),
    ...verifyNames(10, "output", state.outputs, false),
  ];
}

function verifyAddresses(state: RecordedState): readonly IntegrityProblem[] {
  const subjects = state.open.map(({ subject }) => subject);
  const typed = [...state.objects, ...subjects].flatMap(({ address, type }) => {
    const found = parseAddress(address)?.type;
    if (found === undefined || found === type) return [];
    return [problem(1, `an address of type ${found} holds an object of type ${type}`, address)];
  });
  const named = [
    ...state.objects.flatMap((object) => [object.address, ...object.dependencies]),
    ...state.restores.map((restore) => restore.address),
    ...state.open.flatMap((begin) => [begin.subject.address, ...begin.record.dependencies]),
  ];
  const malformed = [...new Set(named)]
    .filter((address) => toAddress(address) !== address || parseAddress(address)?.mode === "data")
    .map((address) => problem(1, "not the canonical address of a managed resource", address));
  return [...typed, ...malformed];
}

function verifyOrder(objects: readonly RecordedObject[]): readonly IntegrityProblem[] {
  return objects.flatMap((object, index) => {
    const before = objects[index - 1];
    if (before === undefined) return [];
    const order = compareAddresses(before.address, object.address);
    if (order < 0) return [];
    if (order > 0) return [problem(3, `stands after ${before.address}`, object.address)];
    if (before.objectKey < object.objectKey) return [];
    return before.objectKey === object.objectKey
      ? [problem(2, `recorded twice as ${object.objectKey}`, object.address)]
      : [problem(3, `${object.objectKey} stands after ${before.objectKey}`, object.address)];
  });
}

/** An identity that is still empty (chosen by a server that has not answered) is none. */
function verifyIdentities(objects: readonly RecordedObject[]): readonly IntegrityProblem[] {
  const owners = new Map<string, Address>();
  return objects.flatMap(({ provider, type, identity, address }) => {
    if (identity === "") return [];
    const key = [provider, type, identity].join("\0");
    const owner = owners.get(key);
    owners.set(key, owner ?? address);
    if (owner === undefined || owner === address) return [];
    return [problem(4, `${type} ${identity} is also recorded at ${owner}`, address)];
  });
}

function verifyTentative(objects: readonly RecordedObject[]): readonly IntegrityProblem[] {
  return objects
    .filter((object) => (object.status === "tentative") !== (object.tentativeUntilMs !== undefined))
    .map(({ status, address }) =>
      status === "tentative"
        ? problem(5, "tentative without a deadline", address)
        : problem(5, "not tentative, but with a deadline", address),
    );
}

function verifyContainers(objects: readonly RecordedObject[]): readonly IntegrityProblem[] {
  const containers = new Map<string, ContainerKey>();
  for (const { type, identity, container } of objects) {
    if (container !== undefined) containers.set(containerText({ type, identity }), container);
  }
  const ended = new Set<string>();
  const problems: IntegrityProblem[] = [];
  for (const { type, identity, address } of objects) {
    const path = new Set<string>();
    let here: ContainerKey | undefined = { type, identity };
    while (here !== undefined && !ended.has(containerText(here))) {
      const text = containerText(here);
      if (path.has(text)) {
        problems.push(problem(6, "contained, by way of its container, in itself", address));
        break;
      }
      path.add(text);
      here = containers.get(text);
    }
    for (const text of path) ended.add(text);
  }
  return problems;
}

function containerText({ type, identity }: ContainerKey): string {
  return [type, identity].join("\0");
}

function verifyOpen(state: RecordedState): readonly IntegrityProblem[] {
  const seen = new Set<string>();
  return state.open.flatMap(({ planId, id, subject: { address } }) => {
    const key = [planId, id].join("\0");
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    return [problem(7, `operation ${id} is open twice`, address)];
  });
}

function verifyRestores(state: RecordedState): readonly IntegrityProblem[] {
  return state.restores.flatMap(({ address }, index) => {
    const before = state.restores[index - 1];
    if (before === undefined) return [];
    const order = compareAddresses(before.address, address);
    if (order < 0) return [];
    const message = order === 0 ? "two restores" : `its restore stands after ${before.address}`;
    return [problem(8, message, address)];
  });
}

function verifyNames(
  invariant: number,
  what: string,
  items: readonly { readonly name: string }[],
  sorted: boolean,
): readonly IntegrityProblem[] {
  const seen = new Set<string>();
  return items.flatMap(({ name }, index) => {
    const before = items[index - 1]?.name;
    if (seen.has(name)) return [problem(invariant, `${what} ${name} stands twice`)];
    seen.add(name);
    if (!sorted || before === undefined || before < name) return [];
    return [problem(invariant, `${what} ${name} stands after ${before}`)];
  });
}

function problem(invariant: number, message: string, address?: Address): IntegrityProblem {
  return address === undefined ? { invariant, message } : { invariant, message, address };
}
