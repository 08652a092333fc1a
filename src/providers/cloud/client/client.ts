/**
 * What the resource types and data sources of the cloud ask of its client, and what they get: types
 * only, no behaviour. `connection.ts` makes one.
 */

import type { XmlElement } from "../../../lib/xml/xml.ts";

/**
 * The words of one server, learned at login: the specification's and the real vendor's differ in
 * them alone (specification, preface; wire facts A.0.1).
 */
export type Dialect = {
  /** Lower case, such as `x-cloud-authorization`. */
  readonly tokenHeader: string;
  /** Name of the session cookie, where the login set one. It is never sent. */
  readonly cookie?: string;
  /** With the full stop at its end: `application/vnd.vendor.cloud.`. */
  readonly mediaPrefix: string;
  /** As `mediaPrefix`, of administrators' media types: `application/vnd.vendor.admin.`. */
  readonly adminPrefix: string;
  /** URI of the namespace that replies and request bodies are in. */
  readonly namespace: string;
  /** `urn:cloud:`, once an id was seen. */
  readonly urnPrefix?: string;
};

/** Whom the session belongs to, as the server spells it. */
export type CloudUser = {
  readonly user: string;
  readonly org: string;
  /** Logged in at the system organization: an administrator of the whole service. */
  readonly isSystem: boolean;
};

export type CloudDocument = {
  readonly root: XmlElement;
  /** The server's own clock when it answered, milliseconds. */
  readonly dateMs?: number;
};

export type GetOptions = {
  /** Local name the root must have, in the dialect's namespace; else the reply is an error. */
  readonly root?: string;
  /** Media type without the dialect's prefix, `task+xml`. Default `application/*+xml`. */
  readonly mediaType?: string;
  /** Milliseconds since the epoch. */
  readonly deadlineMs?: number;
};

export type CloudSend = {
  readonly method: "POST" | "PUT" | "DELETE";
  /** Rooted at the API, `/api/vApp/vm-1/action/relocate`. */
  readonly path: string;
  /** Of the body, without the dialect's prefix: `relocateVmParams+xml`. */
  readonly mediaType?: string;
  /** Absent: an empty body without Content-Type (wire facts A.4). */
  readonly body?: string;
  /** `session` for what changes nothing of the inventory. Default `mutate`. */
  readonly class?: "mutate" | "session";
  readonly deadlineMs?: number;
};

export type CloudSent = {
  readonly status: number;
  /** Path of the `Location` header, such as `/api/task/…`. */
  readonly location?: string;
  /** Absent for an empty body. */
  readonly document?: CloudDocument;
};

/** One condition of a query; all of a query's conditions hold at once. */
export type QueryTerm =
  /** Exactly this value, letter case included, `*` no wildcard; compared here too. */
  | { readonly attribute: string; readonly equals: string }
  /** One of these values, each as `equals`. No values match nothing. */
  | { readonly attribute: string; readonly oneOf: readonly string[] }
  /** `*` stands for any text; letter case as the server compares. */
  | { readonly attribute: string; readonly like: string }
  /** The service's filter language as people write it, without URL encoding. */
  | { readonly raw: string };

export type QueryFormat = "records" | "references" | "idrecords";

export type QueryRequest = {
  /** `vm`, `adminVM`, `datastore`, `vApp`, …; case-sensitive (wire facts A.2.1). */
  readonly type: string;
  /** Default `records`. */
  readonly format?: QueryFormat;
  /** Attributes to return; `href` always comes. Default: what the server shows. */
  readonly fields?: readonly string[];
  readonly filter?: readonly QueryTerm[];
  /** VMs of vApp templates are kept out of `vm` and `adminVM` unless this is set. */
  readonly withTemplates?: boolean;
};

export type QueryRecord = {
  /** Local name of the element, `VMRecord`. */
  readonly element: string;
  /** Path of the object; absent in `idrecords`. */
  readonly href?: string;
  /** What tells records apart: the path, else the id. */
  readonly key: string;
  /** Attributes without namespace by name, as text; hrefs among them as the server printed them. */
  readonly attributes: { readonly [name: string]: string };
};

/**
 * A logged-in conversation with one cloud. Every method throws `RemoteError`; a session that
 * expired is renewed within, once for all calls in flight.
 */
export type CloudClient = {
  /** The negotiated version, a text: `5.10` is not `5.1`. */
  readonly apiVersion: string;
  /** Every version the server offers, oldest first. */
  readonly offeredVersions: readonly string[];
  readonly dialect: Dialect;
  readonly who: CloudUser;
  /** Changes nothing. `path` is rooted at the API, as `pathOf` gives it. */
  get(path: string, options?: GetOptions): Promise<CloudDocument>;
  /** Sent at most once with effect: a repeat follows a 401 alone, which proves that none was. */
  send(request: CloudSend): Promise<CloudSent>;
  /** All pages, without duplicates, sorted by key. */
  query(request: QueryRequest): Promise<readonly QueryRecord[]>;
  /** The complete list of a query type was read, or is worth reading: it costs nothing more. */
  isListed(type: string): boolean;
  /** The server's clock by its last `Date` header, milliseconds; undefined while none was seen. */
  serverTimeMs(): number | undefined;
};

/** What a provider session holds: opened without a request, logged in by the first use. */
export type CloudConnection = {
  /** As of a provider session. */
  forsake(): Promise<boolean>;
  /**
   * The one client of this connection. Throws `RemoteError`; a refused login is remembered, so that
   * many objects do not lock the account, any other failure is tried again by the next caller.
   */
  client(): Promise<CloudClient>;
  /** Logs out, if a session may be alive, and ends every connection. Never throws. */
  close(): Promise<void>;
};
