/** Which VM of a host manager an appliance is: the one whose disks its operations depend on. */

import type { TwinSource } from "../../commands/rehearse/twin.ts";
import type { RecordedObject } from "../../model/recorded/recorded.ts";

export type ApplianceVm = {
  /** Name of the provider of the host manager. */
  readonly manager: string;
  /** What the manager calls it. */
  readonly vm: string;
};

type Disk = Pick<RecordedObject, "provider" | "identity">;

/** Undefined where nothing says so, or where the disks are those of several VMs. */
export function applianceVmIn(source: TwinSource, appliance: string): ApplianceVm | undefined {
  const own = source.operations.filter(({ subject }) => subject.provider === appliance);
  const dependencies = new Set(own.flatMap(({ record }) => record.dependencies));
  const disks: readonly Disk[] = [
    ...source.operations.map(({ subject }) => subject),
    ...source.state.objects,
  ].filter(({ type, address }) => type === "manager_disk" && dependencies.has(address));
  const found = new Map(
    disks.map(({ provider, identity }) => {
      const vm = identity.slice(0, identity.indexOf("/"));
      return [`${provider} ${vm}`, { manager: provider, vm }] as const;
    }),
  );
  const [first, ...others] = found.values();
  if (first === undefined || others.length > 0) return undefined;
  const { survey } = source.providers.find(({ name }) => name === first.manager) ?? {};
  const isTold = survey?.machines.some(
    ({ id, disks: told }) => id === first.vm && told !== undefined,
  );
  return isTold === true ? first : undefined;
}
