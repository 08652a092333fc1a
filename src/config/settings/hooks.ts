/** Notification hooks (`vmform.on`): which programs and servers are told of what. */

import { parseDurationMs } from "../../lib/time/duration.ts";
import { memberNode, type YamlNode } from "../../lib/yaml/yaml.ts";
import type { Configuration, NotificationHook } from "../../model/generated/config.ts";
import { type Hook, type Hooks, hookEvents } from "../../model/said/hook.ts";
import type { BlockEntry } from "../read/blocks.ts";
import type { Report } from "../report.ts";
import { secretSetting } from "./secret-setting.ts";

type OnBlock = NonNullable<NonNullable<Configuration["vmform"]>["on"]>;

const limitMsDefault = 10_000;
/** A run that has ended waits no longer for who is told of it. */
const limitMsMax = 60_000;
const triesDefault = 3;

/** Those without problems, which are reported; undefined where there is none. */
export function hooksOf(
  entry: BlockEntry | undefined,
  block: OnBlock | undefined,
  directory: string,
  report: Report,
): Hooks | undefined {
  if (entry === undefined || block === undefined) return undefined;
  const events = hookEvents.flatMap((event) => {
    const list = memberNode(memberNode(entry.node, "on"), event);
    const nodes = list?.kind === "list" ? list.items : [];
    const hooks = (block[event] ?? []).flatMap((hook, index) => {
      const problem = (detail: string, fix: string): undefined => {
        report.add("CFG020", { detail, fix, place: placeOf(entry, nodes[index]) });
      };
      return hookOf(hook, directory, problem) ?? [];
    });
    return hooks.length === 0 ? [] : [[event, hooks] as const];
  });
  return events.length === 0 ? undefined : Object.fromEntries(events);
}

function placeOf({ file, place }: BlockEntry, node: YamlNode | undefined): BlockEntry["place"] {
  return node === undefined ? place : { file, start: node.start, end: node.end, hidden: true };
}

function hookOf(
  { command, webhook, timeout, tries = triesDefault }: NotificationHook,
  directory: string,
  problem: (detail: string, fix: string) => undefined,
): Hook | undefined {
  const limitMs = timeout === undefined ? limitMsDefault : parseDurationMs(timeout);
  if (limitMs === undefined || limitMs <= 0 || limitMs > limitMsMax) {
    return problem(
      `${JSON.stringify(timeout)} is no limit of a hook.`,
      "Write it like 10s; at most 60s.",
    );
  }
  const limits = { directory, limitMs, tries };
  if ((command === undefined) === (webhook === undefined)) {
    const many = command === undefined ? "neither a command nor a webhook" : "both";
    return problem(`A hook has ${many}.`, "Give it one of them.");
  }
  if (command !== undefined) return { kind: "command", words: command, ...limits };
  const url = webhook?.url ?? secretSetting(webhook?.secret_url);
  if (url === undefined || (webhook?.url !== undefined && webhook.secret_url !== undefined)) {
    return problem("A webhook has one of url and secret_url.", "Write url: https://….");
  }
  if (typeof url === "string" && !isWebUrl(url)) {
    return problem(
      "A webhook's url begins with http:// or https://, and has neither user nor password.",
      "Put what is secret in secret_url or authorization.",
    );
  }
  const authorization = secretSetting(webhook?.authorization);
  const authorized = authorization === undefined ? {} : { authorization };
  return { kind: "webhook", url, ...authorized, ...limits };
}

function isWebUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === "" && password === "";
}
