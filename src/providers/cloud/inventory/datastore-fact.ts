/**
 * The datastore that VMs are to be moved to: which one a name means, and what stands against it.
 * Its record tells what the cloud refuses only in the middle of the work (wire facts A.2.5).
 */

import { closestName } from "../../../lib/text.ts";
import { booleanOf } from "../../kit/narrow.ts";
import type { QueryRecord } from "../client/client.ts";
import { apiPathOf } from "../client/href.ts";

export type DatastoreFact = {
  /** As the server printed it; absent where the name means none. */
  readonly href?: string;
  /** Why nothing can be moved there. */
  readonly problem?: string;
  /** Megabytes; absent where the record does not tell. */
  readonly freeMb?: number;
};

/** Names are unique within one host manager at best; a VM stays with the manager that runs it. */
export function datastoreNamed(
  name: string,
  manager: string | undefined,
  records: readonly QueryRecord[],
): DatastoreFact {
  const known = records.filter(({ attributes }) => booleanOf(attributes.isDeleted) !== true);
  const named = known.filter(({ attributes }) => attributes.name === name);
  const matches = named.filter(({ attributes }) => {
    const vc = apiPathOf(attributes.vc ?? "");
    return manager === undefined || vc === undefined || vc === manager;
  });
  const [match, ...more] = matches;
  const quoted = JSON.stringify(name);
  if (match === undefined) {
    if (named.length > 0) {
      const others = named.map((record) => describe(record)).join("; ");
      return { problem: `Datastore ${quoted} belongs to another host manager: ${others}.` };
    }
    const names = known.flatMap(({ attributes }) => attributes.name ?? []);
    const closest = closestName(name, names);
    const hint = closest === undefined ? "" : `; there is one named ${JSON.stringify(closest)}`;
    return { problem: `No datastore is named ${quoted} among all ${known.length}${hint}.` };
  }
  if (more.length > 0) {
    const all = matches.map((record) => describe(record)).join("; ");
    return { problem: `${matches.length} datastores are named ${quoted}: ${all}.` };
  }
  const href = match.attributes.href ?? match.href;
  if (href === undefined) return { problem: `Datastore ${quoted} is listed without href.` };
  if (booleanOf(match.attributes.isEnabled) === false) {
    return { href, problem: `Datastore ${quoted} is disabled: nothing can be moved to it.` };
  }
  const freeMb = freeOf(match);
  if (freeMb !== undefined && freeMb <= 0) {
    return { href, freeMb, problem: `Datastore ${quoted} is full.` };
  }
  return freeMb === undefined ? { href } : { href, freeMb };
}

function freeOf({ attributes: { storageMB, storageUsedMB } }: QueryRecord): number | undefined {
  const [all, used] = [storageMB, storageUsedMB].map((text) =>
    text !== undefined && /^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined,
  );
  return all === undefined || used === undefined ? undefined : all - used;
}

function describe({ href, key, attributes }: QueryRecord): string {
  const { vcName } = attributes;
  return `${href ?? key}${vcName === undefined ? "" : ` of ${vcName}`}`;
}
