/**
 * What the server says of itself, before any login. Ids differ between a manager of many hosts
 * and a single host, so each is taken from here (wire facts D.3).
 */

import type { HttpReply } from "../../../http/call.ts";
import { unreadableReply } from "../../../http/reply.ts";
import type { XmlElement } from "../../../lib/xml/xml.ts";
import type { ManagedRef, ServiceContent } from "./client.ts";
import { childIn, refOf, textIn } from "./element.ts";

/** The one object whose id is the same everywhere. */
export const serviceInstance: ManagedRef = { type: "ServiceInstance", id: "ServiceInstance" };

/** Throws `RemoteError` of kind protocol where something is absent that nothing works without. */
export function readServiceContent(reply: HttpReply, response: XmlElement): ServiceContent {
  const content = childIn(response, "returnval");
  const about = childIn(content, "about");
  const apiVersion = textIn(about, "apiVersion") ?? "";
  const needed = (name: string): ManagedRef => {
    const ref = refOf(childIn(content, name));
    if (ref !== undefined) return ref;
    throw unreadableReply(reply, "read", `names no ${name}`);
  };
  const optional = (name: string): { readonly [name: string]: ManagedRef } => {
    const ref = refOf(childIn(content, name));
    return ref === undefined ? {} : { [name]: ref };
  };
  if (apiVersion === "") throw unreadableReply(reply, "read", "names no version of its API");
  const instanceUuid = textIn(about, "instanceUuid")?.toLowerCase() ?? "";
  return {
    apiVersion,
    ...(instanceUuid === "" ? {} : { instanceUuid }),
    isHost: textIn(about, "apiType") === "HostAgent",
    fullName: textIn(about, "fullName") ?? "",
    rootFolder: needed("rootFolder"),
    propertyCollector: needed("propertyCollector"),
    sessionManager: needed("sessionManager"),
    viewManager: needed("viewManager"),
    ...optional("alarmManager"),
    ...optional("eventManager"),
    ...optional("taskManager"),
  };
}

/** Whether a version is at least another one: numbers between dots, so that 5.10 follows 5.9. */
export function isSince(version: string, first: string): boolean {
  const [have, want] = [version, first].map((text) => text.split(".").map(Number));
  for (let index = 0; index < (want?.length ?? 0); index += 1) {
    const difference = (have?.[index] ?? 0) - (want?.[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
