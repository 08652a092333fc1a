/**
 * Samples of sizes: taken every five minutes unless the world says otherwise, so that a new size
 * shows late; numbers are texts in kilobytes, and missing samples empty texts (wire facts C.3).
 */

import type { Answer } from "../kit/answer.ts";
import { unchanged } from "../kit/answer.ts";
import type { AppliancePartition, ApplianceState } from "./appliance-state.ts";
import { sizeAt } from "./appliance-state.ts";
import type { ApplianceCall, ApplianceError } from "./call.ts";
import { invalidArgument, refuse, valueReply } from "./call.ts";

const minuteMs = 60_000;
const defaultStepMs = 5 * minuteMs;

const intervals: ReadonlyMap<string, number> = new Map([
  ["MINUTES5", 5 * minuteMs],
  ["MINUTES30", 30 * minuteMs],
  ["HOURS2", 120 * minuteMs],
  ["HOURS6", 360 * minuteMs],
  ["DAY1", 1440 * minuteMs],
]);

const functions: ReadonlyMap<string, (samples: readonly number[]) => number> = new Map([
  ["COUNT", (samples) => samples.length],
  ["MAX", (samples) => Math.max(...samples)],
  ["MIN", (samples) => Math.min(...samples)],
  ["AVG", (samples) => samples.reduce((sum, each) => sum + each, 0) / samples.length],
]);

const dataMax = 2000;

type MonitoringQuery = {
  readonly names: readonly string[];
  readonly interval: string;
  readonly function: string;
  readonly startMs: number;
  readonly endMs: number;
};

/** What can be asked for: names with the catalogue's words for what they are (wire facts C.3). */
export function listMonitoring({ state, form }: ApplianceCall): Answer {
  const filesystems = state.world.partitions
    .map(({ name }) => name)
    .filter((name) => name !== "packages");
  const ids = [...new Set(["boot", ...filesystems])].flatMap((each) => [
    `storage.totalsize.filesystem.${each}`,
    `storage.used.filesystem.${each}`,
  ]);
  const items = ids.map((id) => ({
    id,
    name: `com.vmware.applmgmt.mon.name.${id}`,
    description: `com.vmware.applmgmt.mon.descr.${id}`,
    category: "com.vmware.applmgmt.mon.cat.storage",
    units: "com.vmware.applmgmt.mon.unit.kb",
    instance: "",
  }));
  return unchanged(valueReply(form, items));
}

export function queryMonitoring(call: ApplianceCall): Answer {
  const query = readQuery(call);
  if ("status" in query) return refuse(call, query, true);
  const found = query.names.map((name) => ({ name, metric: metricOf(call.state, name) }));
  const unknown = found.find(({ metric }) => metric === undefined);
  if (unknown !== undefined) {
    // Which there are differs by release, and asking is how a client finds out.
    return refuse(call, invalidArgument(`There is no metric ${unknown.name}.`));
  }
  const items = found.map(({ name, metric }) => ({
    name,
    interval: query.interval,
    function: query.function,
    start_time: new Date(query.startMs).toISOString(),
    end_time: new Date(query.endMs).toISOString(),
    data: metric === undefined ? [] : dataOf(call, query, metric),
  }));
  return unchanged(valueReply(call.form, items));
}

type Metric = (atMs: number) => number;

/** `storage.totalsize.filesystem.seat`, `storage.used.filesystem.seat`, and so on. */
function metricOf({ world }: ApplianceState, name: string): Metric | undefined {
  const [, kind, filesystem] = /^storage\.(totalsize|used)\.filesystem\.(\w+)$/.exec(name) ?? [];
  if (filesystem === "boot") return () => 131_072;
  const partition = world.partitions.find((each) => each.name === filesystem);
  if (partition === undefined || partition.name === "packages") return undefined;
  return kind === "used" ? () => partition.usedKb : sizeOf(partition);
}

function sizeOf(partition: AppliancePartition): Metric {
  return (atMs) => sizeAt(partition, atMs);
}

/** One text per interval that begins in the asked time; empty where nothing was sampled. */
function dataOf(
  { state, nowMs }: ApplianceCall,
  query: MonitoringQuery,
  metric: Metric,
): readonly string[] {
  const step = intervals.get(query.interval) ?? defaultStepMs;
  const reduce = functions.get(query.function);
  const { monitoring } = state.world.rules;
  const sampleMs = state.world.durations.sample;
  const data: string[] = [];
  for (let at = Math.floor(query.startMs / step) * step; at < query.endMs; at += step) {
    const samples: number[] = [];
    const end = Math.min(at + step, nowMs + 1);
    for (let sample = at; sample < end; sample += sampleMs) samples.push(metric(sample));
    const isMissing =
      samples.length === 0 ||
      monitoring === "empty" ||
      (monitoring === "sparse" && (at / step) % 2 === 1);
    data.push(isMissing || reduce === undefined ? "" : String(Math.round(reduce(samples))));
  }
  return data;
}

/** Parameters are named `item.…` and numbered under `/rest`. */
function readQuery({ request, form }: ApplianceCall): MonitoringQuery | ApplianceError {
  const prefix = form === "rest" ? "item." : "";
  const names: string[] = [];
  for (const [key, value] of request.query) {
    const isName = form === "rest" ? /^item\.names\.\d+$/.test(key) : key === "names";
    if (isName) names.push(...(form === "rest" ? [value] : value.split(",")));
  }
  const text = (name: string): string => request.query.get(`${prefix}${name}`) ?? "";
  const [interval, wanted] = [text("interval"), text("function")];
  const [startMs, endMs] = [text("start_time"), text("end_time")].map((each) => Date.parse(each));
  if (names.length === 0) return invalidArgument("names are missing");
  if (!intervals.has(interval)) return invalidArgument(`interval: ${interval}`);
  if (!functions.has(wanted)) return invalidArgument(`function: ${wanted}`);
  if (startMs === undefined || endMs === undefined || !(startMs < endMs)) {
    return invalidArgument("start_time must be a time before end_time");
  }
  const count = (endMs - startMs) / (intervals.get(interval) ?? defaultStepMs);
  if (count > dataMax) return invalidArgument("too many samples");
  return { names, interval, function: wanted, startMs, endMs };
}
