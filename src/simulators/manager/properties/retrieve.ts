/** Reading properties in bulk, in pages, and one of them by `Fetch` (wire facts D.3). */

import { randomBytes } from "node:crypto";
import type { MethodAnswer, MethodCall, UserCall } from "../method-call.ts";
import { objectOf } from "../objects/objects.ts";
import { invalidArgument, isFault, notAuthenticated } from "../soap/fault.ts";
import { encodeAny } from "../soap/soap-encode.ts";
import { numberIn, objectIn, objectsIn, textIn } from "../soap/soap-value.ts";
import type { PageItem } from "../world/session-record.ts";
import { contentOf, encoded, hindrance } from "./content.ts";
import { invalidProperty, readPath } from "./path.ts";
import { selectItems } from "./select.ts";

/** `RetrieveProperties` of old: everything at once. */
export function retrieveProperties(call: MethodCall): MethodAnswer {
  const items = selectItems(call, objectsIn(call.params, "specSet"));
  if (isFault(items)) return items;
  const objects = contentOf(call, items);
  return isFault(objects) ? objects : { value: objects };
}

/** A page of objects, and a token when there are more; nothing at all when there are none. */
export function retrievePropertiesEx(call: MethodCall): MethodAnswer {
  const items = selectItems(call, objectsIn(call.params, "specSet"));
  if (isFault(items)) return items;
  const wanted = numberIn(objectIn(call.params, "options"), "maxObjects");
  if (wanted !== undefined && wanted < 1) return invalidArgument("options.maxObjects");
  const { objects_max: objectsMax } = call.state.rules;
  return pageOf(call, items, Math.min(wanted ?? objectsMax, objectsMax));
}

export function continueRetrieve(call: UserCall): MethodAnswer {
  const token = textIn(call.params, "token") ?? "";
  const page = call.session.pages.get(token);
  if (page === undefined) return invalidArgument("token");
  call.session.pages.delete(token);
  return pageOf(call, page.rest, page.size);
}

export function cancelRetrieve(call: UserCall): MethodAnswer {
  return call.session.pages.delete(textIn(call.params, "token") ?? "")
    ? {}
    : invalidArgument("token");
}

/** Objects that have gone since the first page are left out. */
function pageOf(call: MethodCall, items: readonly PageItem[], size: number): MethodAnswer {
  const objects = contentOf(call, items.slice(0, size));
  if (isFault(objects)) return objects;
  const rest = items.slice(size);
  const token = rest.length === 0 ? undefined : randomBytes(8).toString("hex");
  if (token !== undefined) call.session?.pages.set(token, { rest, size });
  if (objects.length === 0 && token === undefined) return {};
  return { value: { is: "RetrieveResult", token, objects } };
}

/**
 * One property of the object that it is called on: what clients with properties as members ask for.
 * In no published schema; the shape is that of two public implementations. Only the content of the
 * service is told without a session.
 */
export function fetchProperty(call: MethodCall): MethodAnswer {
  const path = textIn(call.params, "prop") ?? "";
  const properties = objectOf(call, call.target);
  if (properties === undefined) return {};
  const result = readPath(properties, path, call.version);
  if (result.kind === "invalid") return invalidProperty(path);
  const isOpen = call.target.ref === "ServiceInstance" && path.split(".")[0] === "content";
  if (call.session === undefined && !isOpen) return notAuthenticated(call.target);
  const fault = isOpen ? undefined : hindrance(call, call.target, path);
  if (fault !== undefined) return fault;
  if (result.kind === "unset") return {};
  return { value: encoded(encodeAny("returnval", result.member, result.value, call)) };
}
