/**
 * The connection to one host manager: opened without a request, logged in by the first use. Views
 * and continuation tokens belong to a session, so a bulk read that finds its session expired is
 * done again as a whole.
 */

import type { HttpClient } from "../../../http/call.ts";
import type { XmlElement } from "../../../lib/xml/xml.ts";
import type { Clock } from "../../../model/clock.ts";
import { RemoteError, retold } from "../../../model/operation/remote-error.ts";
import { type Guard, guardSecrets } from "../../kit/guard.ts";
import { orElse, refusal } from "../../kit/refusal.ts";
import type { SessionKeeper } from "../../kit/session.ts";
import type {
  ManagedObject,
  ManagedRef,
  ManagerClient,
  ManagerConnection,
  ObjectsRead,
  PropertyPaths,
  SoapCall,
} from "./client.ts";
import { childIn, instantOf, refNode, refOf, textIn, textNode } from "./element.ts";
import { faultError, faultOf, objectOfFault } from "./fault.ts";
import { soapHeaders } from "./login.ts";
import {
  knownPaths,
  mergeObjects,
  objectSet,
  pathsNamed,
  readPage,
  retrieveArguments,
  viewSet,
} from "./property-collector.ts";
import { serviceInstance } from "./service-content.ts";
import { keepManagerSession, type Session } from "./session.ts";
import type { ManagerSettings } from "./settings.ts";
import { envelopeOf } from "./soap.ts";
import { readResponse } from "./soap-reply.ts";

/** A list that is dropped each time is longer than the server can give. */
const listTriesMax = 3;

export type ConnectionPorts = { readonly http: HttpClient; readonly clock: Clock };

type Connection = {
  readonly http: HttpClient;
  readonly settings: ManagerSettings;
  readonly keeper: SessionKeeper<Session>;
  /** Of the secrets of sessions, and the password. */
  readonly guard: Guard;
  /** Paths of properties that the server was found not to know. */
  readonly unknownPaths: Set<string>;
};

export function connect(ports: ConnectionPorts, settings: ManagerSettings): ManagerConnection {
  const { http, clock } = ports;
  const guard = guardSecrets([settings.password]);
  const keeper = keepManagerSession({ http, settings, clock, onCookie: guard.learn });
  const connection: Connection = { http, settings, keeper, guard, unknownPaths: new Set() };
  let client: ManagerClient | undefined;
  return {
    client: () =>
      guard.run(async () => {
        client ??= clientOf(connection, await keeper.current());
        return client;
      }),
    guarded: guard.run,
    forsake: () => keeper.forsake(),
    close: async () => {
      await keeper.end();
      await http.close();
    },
  };
}

function clientOf(connection: Connection, { content, live }: Session): ManagerClient {
  const run = <T>(work: (session: Session) => Promise<T>): Promise<T> =>
    connection.guard.run(() => underSession(connection, work));
  return {
    content,
    user: live.user,
    call: (call) => run((session) => post(connection, session, call)),
    read: (refs, paths) => run((session) => readRefs(connection, session, refs, paths)),
    readAll: (paths) => run((session) => readView(connection, session, paths)),
    serverTimeMs: () => run((session) => readTime(connection, session)),
  };
}

/** `NotAuthenticated`, wherever in the work it is found, means that nothing was done. */
function underSession<T>(
  { keeper }: Connection,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  return keeper.run(async (session) => {
    try {
      return { answer: await work(session) };
    } catch (error) {
      if (!isExpired(error)) throw error;
      return { expired: error };
    }
  });
}

function isExpired(error: unknown): error is RemoteError {
  return faultOf(error)?.type === "NotAuthenticated";
}

/** One request. */
async function post(
  { http, settings, guard }: Connection,
  { content, live }: Session,
  call: SoapCall,
): Promise<XmlElement> {
  const { method, envelope, deadlineMs } = call;
  try {
    return await http.call(
      {
        class: call.class,
        method: "POST",
        path: `${settings.basePath}/sdk`,
        headers: { ...soapHeaders(content), cookie: live.cookie },
        body: envelope,
        redact: guard.hide,
        ...(deadlineMs === undefined ? {} : { deadlineMs }),
      },
      (reply) => readResponse(reply, call.method, call.class),
    );
  } catch (error) {
    // All requests go to one address: the method tells which one failed.
    throw error instanceof RemoteError ? retold(error, `${method}: ${error.message}`) : error;
  }
}

/** One request of a method that changes nothing. */
function ask(
  connection: Connection,
  session: Session,
  method: string,
  self: ManagedRef,
  args: readonly XmlElement[] = [],
): Promise<XmlElement> {
  const envelope = envelopeOf(method, self, args);
  return post(connection, session, { method, envelope, class: "read" });
}

async function readTime(connection: Connection, session: Session): Promise<number> {
  const response = await ask(connection, session, "CurrentTime", serviceInstance);
  const written = textIn(response, "returnval");
  const ms = instantOf(written);
  if (ms !== undefined) return ms;
  throw refusal("protocol", `CurrentTime: ${JSON.stringify(written ?? "")} is no time`);
}

/** The server refuses the whole request for one object that is gone: it is left out then. */
async function readRefs(
  connection: Connection,
  session: Session,
  refs: readonly ManagedRef[],
  paths: PropertyPaths,
): Promise<ObjectsRead> {
  const gone = new Set<string>();
  let left = [...new Map(refs.map((ref) => [ref.id, ref])).values()];
  while (left.length > 0) {
    const [only] = left;
    try {
      const objects = await retrieve(connection, session, paths, objectSet(left));
      return { objects: mergeObjects(objects), gone };
    } catch (error) {
      const fault = faultOf(error);
      if (fault?.type !== "ManagedObjectNotFound") throw error;
      const named = objectOfFault(fault);
      const id = left.length === 1 && named === undefined ? only?.id : named;
      if (id === undefined || !left.some((ref) => ref.id === id)) throw error;
      gone.add(id);
      left = left.filter((ref) => ref.id !== id);
    }
  }
  return { objects: new Map(), gone };
}

/** A view of everything below the root folder, which is ended afterwards. */
async function readView(
  connection: Connection,
  session: Session,
  paths: PropertyPaths,
): Promise<readonly ManagedObject[]> {
  const { viewManager, rootFolder } = session.content;
  const response = await ask(connection, session, "CreateContainerView", viewManager, [
    refNode("container", rootFolder),
    ...Object.keys(paths).map((type) => textNode("type", type)),
    textNode("recursive", true),
  ]);
  const view = refOf(childIn(response, "returnval"));
  if (view === undefined) {
    throw refusal("protocol", "CreateContainerView: the reply names no view");
  }
  try {
    return [...mergeObjects(await retrieve(connection, session, paths, viewSet(view))).values()];
  } finally {
    await endView(connection, session, view);
  }
}

/** A view that stays ends with its session. */
async function endView(connection: Connection, session: Session, view: ManagedRef): Promise<void> {
  const method = "DestroyView";
  const call: SoapCall = { method, envelope: envelopeOf(method, view), class: "session" };
  await orElse(
    () => post(connection, session, call),
    () => undefined,
  );
}

/**
 * All pages. Paths that this server does not know are found out once, and left out from then on.
 */
async function retrieve(
  connection: Connection,
  session: Session,
  paths: PropertyPaths,
  objects: readonly XmlElement[],
): Promise<readonly ManagedObject[]> {
  for (;;) {
    const known = knownPaths(paths, connection.unknownPaths);
    try {
      const read = await retrievePages(connection, session, known, objects);
      return read.map((object) => withUnknown(connection, paths, object));
    } catch (error) {
      const fault = faultOf(error);
      if (fault?.type !== "InvalidProperty") throw error;
      const named = pathsNamed(known, textIn(fault.detail, "name") ?? "");
      if (named.length === 0) throw error;
      for (const path of named) connection.unknownPaths.add(path);
    }
  }
}

function withUnknown(
  { unknownPaths }: Connection,
  paths: PropertyPaths,
  object: ManagedObject,
): ManagedObject {
  const asked = paths[object.ref.type] ?? [];
  const unknown = asked.filter((path) => unknownPaths.has(path));
  if (unknown.length === 0) return object;
  return { ...object, unknown: new Set([...object.unknown, ...unknown]) };
}

/** From the beginning again when the server has dropped the rest of the list meanwhile. */
async function retrievePages(
  connection: Connection,
  session: Session,
  paths: PropertyPaths,
  objects: readonly XmlElement[],
): Promise<readonly ManagedObject[]> {
  const args = retrieveArguments(paths, objects, connection.settings.pageSize);
  for (let tries = 1; ; tries += 1) {
    const list = await retrieveOnce(connection, session, args);
    if ("all" in list) {
      checkLogin(list.all);
      return list.all;
    }
    if (tries < listTriesMax) continue;
    const words = `the server has dropped the rest of the list, ${tries} times`;
    throw retold(list.dropped, `${list.dropped.message}: ${words}`);
  }
}

/** Properties that nobody may read since nobody is logged in any more. */
function checkLogin(objects: readonly ManagedObject[]): void {
  for (const { refused } of objects) {
    for (const fault of refused.values()) {
      if (fault.type === "NotAuthenticated") throw faultError(fault, { callClass: "read" });
    }
  }
}

type List =
  | { readonly all: readonly ManagedObject[] }
  /** What the server said to a token that it does not know any more. */
  | { readonly dropped: RemoteError };

async function retrieveOnce(
  connection: Connection,
  session: Session,
  args: readonly XmlElement[],
): Promise<List> {
  const { propertyCollector } = session.content;
  let page = readPage(
    await ask(connection, session, "RetrievePropertiesEx", propertyCollector, args),
  );
  const all = [...page.objects];
  while (page.token !== undefined) {
    const { token } = page;
    const method = "ContinueRetrievePropertiesEx";
    const next = [textNode("token", token)];
    try {
      page = readPage(await ask(connection, session, method, propertyCollector, next));
    } catch (error) {
      const isDropped = faultOf(error)?.type === "InvalidArgument";
      if (isDropped && error instanceof RemoteError) return { dropped: error };
      throw error;
    }
    if (page.token === token && page.objects.length === 0) {
      throw refusal("protocol", `${method}: the list of ${all.length} objects has no end`);
    }
    all.push(...page.objects);
  }
  return { all };
}
