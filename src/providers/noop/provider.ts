/**
 * A provider without a remote side, for benchmarks and trials: `noop_resource` is planned, ordered,
 * journaled and recorded like any other resource, and what it sends goes nowhere.
 *
 * Nothing is kept, in memory or elsewhere, so nothing can be read: every object is unreadable by
 * rule, recorded values stand, and a plan after an apply is empty. With `task_duration` a change is
 * a remote task; its handle says when it ends, so that it goes on between runs like a real one.
 */

import { parseDurationMs } from "../../lib/time/duration.ts";
import type { Clock } from "../../model/clock.ts";
import type { PreparedOperation, RequestPreview } from "../../model/operation/operation.ts";
import type {
  LoweredStep,
  LowerRequest,
  ProviderSession,
  ResourceType,
  TaskStatus,
} from "../../model/provider/provider.ts";
import type { BeginEntry } from "../../model/recorded/begin-entry.ts";
import type { PlannedAttributes, PlannedValue, Value } from "../../model/value/value.ts";
import type { ProviderFactory } from "../kit/factory.ts";
import { numberIn } from "../kit/narrow.ts";
import { pathSegment } from "../kit/path-segment.ts";
import { refusal } from "../kit/refusal.ts";
import { attributesOf } from "../kit/schema/attributes.ts";
import { loadSchema } from "../kit/schema/schema-file.ts";
import type { NoopResources } from "./generated/resources.ts";

const typeName = "noop_resource";
const limitMs = 600_000;
const resourceIn = attributesOf<NoopResources["noop_resource"]>(typeName);

export const noopType: ResourceType = {
  name: typeName,
  get schema() {
    return loadSchema("resources", typeName);
  },
  ownership: "owned",
  links: [],
  identityOf: (attributes) => resourceIn(attributes).name,
  entity: (identity) => `noop ${identity}`,
  lower,
  request,
  limitMs: () => limitMs,
};

export const noopProvider: ProviderFactory = {
  name: "noop",
  types: [noopType],
  dataTypes: [],
  get settingsSchema() {
    return loadSchema("providers", "noop");
  },
  create: ({ clock }) => ({ open: async () => openSession(clock) }),
};

function lower(change: LowerRequest): readonly LoweredStep[] {
  const { identity } = change;
  switch (change.action) {
    case "create":
      return [step("create", identity, change.inputs)];
    case "update":
      return change.changed.includes("value") ? [step("update", identity, change.inputs)] : [];
    case "delete": {
      const { task_duration = null } = change.prior.applied ?? {};
      return [
        {
          ...step("delete", identity, { task_duration }),
          applied: {},
        },
      ];
    }
  }
}

function step(
  verb: "create" | "update" | "delete",
  identity: string,
  inputs: PlannedAttributes,
): LoweredStep {
  const given: { [name: string]: PlannedValue } = {};
  for (const name of ["name", "value", "trigger", "task_duration"]) {
    const value = inputs[name] ?? null;
    if (value !== null) given[name] = value;
  }
  return {
    verb,
    effect: verb,
    summary: `${verb} ${identity}`,
    request: { inputs: given, repeat: "safe" },
    applied: given,
    proof: { expect: [], unobservable: true },
  };
}

/** Not an HTTP request: the method says that it goes nowhere. */
function request(
  verb: string,
  identity: string,
  inputs: PlannedAttributes,
): RequestPreview | undefined {
  if (verb !== "create" && verb !== "update" && verb !== "delete") return undefined;
  return {
    method: "NOOP",
    path: `/${typeName}/${pathSegment(identity)}/${verb}`,
    body: { ...inputs },
  };
}

function openSession(clock: Clock): ProviderSession {
  return {
    read: async (wanted) =>
      wanted.map(() => ({
        status: "unreadable",
        rule: "by rule",
        reason: "a no-op resource has no remote side to read",
      })),
    send: async (operation: PreparedOperation) => {
      const durationMs = taskDurationMs(operation.request.inputs);
      return durationMs === undefined ? {} : { handle: handleFrom(clock.now(), durationMs) };
    },
    poll: async (handle) => pollTask(handle, clock.now()),
    findTask: async (begin: BeginEntry) => {
      const durationMs = taskDurationMs(begin.record.applied);
      if (durationMs === undefined) return undefined;
      return handleFrom(begin.serverTimeMs ?? begin.atMs, durationMs);
    },
    serverTime: async () => clock.now(),
    close: async () => {},
  };
}

function handleFrom(startMs: number, durationMs: number): Value {
  return { started_ms: startMs, ends_ms: startMs + durationMs };
}

function pollTask(handle: Value, nowMs: number): TaskStatus {
  const [startedMs, endsMs] = ["started_ms", "ends_ms"].map((name) => numberIn(handle, name));
  if (startedMs === undefined || endsMs === undefined) {
    throw refusal("protocol", "the handle of a no-op task cannot be read");
  }
  if (nowMs >= endsMs) return { status: "success" };
  const progress = Math.floor((100 * Math.max(nowMs - startedMs, 0)) / (endsMs - startedMs));
  return { status: "running", word: "running", progress };
}

function taskDurationMs(inputs: { readonly [name: string]: Value }): number | undefined {
  const { task_duration: text } = resourceIn(inputs);
  return text === undefined ? undefined : parseDurationMs(text);
}
