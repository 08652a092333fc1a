/** What the record of a VM tells, as attributes (wire facts A.2.5). All its values are text. */

import type { Attributes, Value } from "../../../model/value/value.ts";
import { booleanOf } from "../../kit/narrow.ts";
import type { QueryRecord } from "../client/client.ts";
import { apiPathOf } from "../client/href.ts";
import { powerOf } from "./power.ts";
import { isEndWord } from "./task.ts";
import { hardwareVersionOf } from "./vm-document.ts";

/** Attributes that a record has; those it does not show are absent. */
export function recordAttributes(record: QueryRecord, path: string): Attributes {
  const { attributes } = record;
  const vapp = apiPathOf(attributes.container ?? "");
  const found: { [name: string]: Value | undefined } = {
    href: path,
    name: attributes.name,
    vapp_name: wordOf(attributes.containerName),
    vapp_href: vapp,
    datastore: wordOf(attributes.datastoreName),
    guest_os: wordOf(attributes.guestOs),
    cpu_count: numberOf(attributes.numberOfCpus),
    memory_mb: numberOf(attributes.memoryMB),
    hardware_version: hardwareVersionOf(attributes.hardwareVersion),
    moref: wordOf(attributes.moref),
    vc: apiPathOf(attributes.vc ?? ""),
  };
  const shown: { [name: string]: Value } = {};
  for (const [name, value] of Object.entries(found)) if (value !== undefined) shown[name] = value;
  return shown;
}

/** As `powerOf`; the record of some servers names the task that runs. */
export function powerOfRecord({ attributes }: QueryRecord): ReturnType<typeof powerOf> {
  const { status = "", taskStatus, taskStatusName } = attributes;
  const isRunning = taskStatus !== undefined && isActive(taskStatus);
  const running = isRunning && taskStatusName !== undefined ? [taskStatusName] : [];
  return powerOf(status, booleanOf(attributes.isDeployed), running);
}

/** `db in vApp web: /api/vApp/vm-…`. */
export function describeRecord(record: QueryRecord): string {
  const { name = "?", containerName } = record.attributes;
  const vapp = wordOf(containerName);
  return `${name}${vapp === undefined ? "" : ` in vApp ${vapp}`}: ${record.href ?? record.key}`;
}

/** A word that is not known here is no sign that something runs: records keep the last task. */
function isActive(word: string): boolean {
  return ["queued", "prerunning", "running"].includes(word.toLowerCase()) && !isEndWord(word);
}

/** Servers write a single space for what is not known. */
function wordOf(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" ? undefined : text;
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined;
}
