/**
 * The pure half of `appliance_storage`: all partitions of one appliance, grown to their disks by a
 * single request. It exists already, never shrinks, and there is one for each appliance.
 */

import type { LoweredStep, LowerRequest, ResourceType } from "../../../model/provider/provider.ts";
import type { RecordedObject } from "../../../model/recorded/recorded.ts";
import type { PlannedAttributes, Value } from "../../../model/value/value.ts";
import { endpointKeyOf } from "../../kit/endpoint.ts";
import { loadSchema } from "../../kit/schema/schema-file.ts";
import { isRecordOf } from "../../kit/schema/shape.ts";
import {
  dialectOf,
  isPrefixName,
  isRelease,
  type PrefixName,
  prefixName,
  type Release,
  resizeRequest,
} from "../client/release.ts";
import { urlEnding } from "../client/settings.ts";
import { diskNumber } from "./layout.ts";
import { goalOf, sizeText, wishesOf } from "./size.ts";
import { checkSizes } from "./storage-check.ts";
import { readAttributes, readFacts } from "./storage-facts.ts";
import { storageObjections, unhealthy } from "./storage-objections.ts";
import { growingOf, type Wish, wishesFor, wishesOfChange } from "./wishes.ts";

export const storageTypeName = "appliance_storage";
/** The only one of its kind. */
export const storageIdentity = "storage";

const minuteMs = 60_000;
/** Sizes are sampled every five minutes (wire facts C.3): a sample that was missed included. */
const sampleLagMs = 11 * minuteMs;

export const storageType: ResourceType = {
  name: storageTypeName,
  get schema() {
    return loadSchema("resources", storageTypeName);
  },
  ownership: "attached",
  links: [],
  identityOf: () => storageIdentity,
  parseIdentity: (text) => (text.trim() === storageIdentity ? storageIdentity : undefined),
  entity: (identity, settings) =>
    `appliance ${endpointKeyOf("appliance", settings, urlEnding)} ${identity}`,
  same,
  due,
  needsFacts: true,
  objections: storageObjections,
  remarks: (attributes) => unhealthy(readAttributes(attributes).health),
  lower,
  request: (verb, _identity, { release }) => {
    if (verb !== "resize") return undefined;
    if (isForm(release)) return resizeRequest(release.form, release.prefix);
    return resizeRequest(isRelease(release) ? release : releaseDefault);
  },
  // Nothing says how long it takes; ten minutes are the least to wait (wire facts C.2).
  limitMs: () => 30 * minuteMs,
  check: checkSizes,
};

/**
 * Against what was applied. What never was is no difference by itself: `due` compares it with what
 * the appliance shows.
 */
function same(attribute: string, wanted: Value, applied: Value): boolean {
  if (attribute !== "sizes_gb") return false;
  const asked = wishesOf(applied);
  return [...wishesOf(wanted)].every(([key, gb]) => (asked.get(key) ?? gb) === gb);
}

/**
 * Sizes that were never applied and are not there, names that fit no disk, what fell short, and all
 * of them when a disk that they refer to grows: how little it grows, no tolerance shall hide.
 */
function due(
  record: RecordedObject,
  wanted: PlannedAttributes,
  _nowMs: number,
  moving = false,
): readonly string[] {
  const { applied, attributes } = record;
  const { wishes, misfits } = wishesFor(wanted, { applied, read: attributes });
  const grows = moving && wishes.length > 0;
  const isDue = grows || misfits.length > 0 || wishes.some(({ standing }) => standing !== "enough");
  return isDue ? ["sizes_gb"] : [];
}

function lower(change: LowerRequest): readonly LoweredStep[] {
  // It is never made and never deleted: adopting and forgetting send nothing.
  if (change.action !== "update" || !change.changed.includes("sizes_gb")) return [];
  const { inputs, prior } = change;
  const facts = change.facts && readFacts(change.facts);
  const { release } = readAttributes(prior.attributes);
  const { wishes, filesystems } = wishesOfChange(change);
  const growing = growingOf(wishes);
  if (growing.length === 0) return [];
  const goals: { [partition: string]: number } = {};
  const seen: { [partition: string]: number } = {};
  for (const { gb, partitions, appliedGb, shownGb } of growing) {
    const goal = goalOf({ gb, partitions }, appliedGb, filesystems);
    if (goal === undefined) continue;
    goals[goal.partition] = goal.gb;
    if (shownGb !== undefined) seen[goal.partition] = goal.gb;
  }
  const isSeen = Object.keys(seen).length > 0;
  return [
    {
      verb: "resize",
      effect: "update",
      summary: summaryOf(growing),
      request: {
        inputs: {
          release: formOf(facts?.release ?? release ?? releaseDefault, facts?.prefix ?? null),
          filesystems_gb: goals,
          ...((prior.attributes.unanswered ?? null) === null ? {} : { unanswered: true }),
        },
        // Growing to all of a disk leaves nothing to grow the second time.
        repeat: "safe",
      },
      order: { long: true },
      proof: {
        lagMs: sampleLagMs,
        ...(isSeen
          ? {
              expect: [{ attribute: "filesystems_gb", atLeast: seen }],
              unmetAdvice: adviceOf(growing),
            }
          : { expect: [], unobservable: true }),
      },
      applied: { sizes_gb: inputs.sizes_gb ?? {} },
    },
  ];
}

function summaryOf(growing: readonly Wish[]): string {
  const sizes = growing.map(({ key, gb }) => `${key} to ${sizeText(gb)}`).join(", ");
  return `grow all partitions to their disks: ${sizes}`;
}

/** The reply of a resize is a success also where no disk has become larger. */
function adviceOf(growing: readonly Wish[]): string {
  const disks = growing.map(({ key, disk }) =>
    diskNumber(key) === undefined ? `VMDK${disk} (${key})` : `VMDK${disk}`,
  );
  const [are, them] = disks.length === 1 ? ["is", "it"] : ["are", "them"];
  return (
    `${are} ${disks.join(", ")} as large as wanted? If not, grow ${them} where the VM of the ` +
    "appliance is managed; the next apply resizes again"
  );
}

const releaseDefault: Release = "6.5";

/** A release whose requests stand below a prefix that is not its own. */
const isForm = isRecordOf({ form: isRelease, prefix: isPrefixName });

function formOf(release: Release, prefix: PrefixName | null): Value {
  const isUsual = prefix === null || prefix === prefixName(dialectOf(release));
  return isUsual ? release : { form: release, prefix };
}
