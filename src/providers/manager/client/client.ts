/**
 * What the resource types and data sources of host management ask of its client, and what they get:
 * types only, no behaviour. `connection.ts` makes one.
 */

import type { CallClass } from "../../../http/call.ts";
import type { XmlElement } from "../../../lib/xml/xml.ts";

/** A managed object: its type and its id, such as `VirtualMachine` and `vm-12`. */
export type ManagedRef = { readonly type: string; readonly id: string };

/** What the server says of itself, without a login (wire facts D.3). */
export type ServiceContent = {
  /** Such as `6.5`, or `7.0.3.0`; a text: `5.10` is not `5.1`. */
  readonly apiVersion: string;
  /** The id of the server itself, which a single host does not tell. */
  readonly instanceUuid?: string;
  /** A single host: it has other ids, and no alarms. */
  readonly isHost: boolean;
  /** For people, such as `VMware vCenter Server 6.5.0 build-4602587`. */
  readonly fullName: string;
  readonly rootFolder: ManagedRef;
  readonly propertyCollector: ManagedRef;
  readonly sessionManager: ManagedRef;
  readonly viewManager: ManagedRef;
  readonly alarmManager?: ManagedRef;
  readonly eventManager?: ManagedRef;
  readonly taskManager?: ManagedRef;
};

/** A fault as the server names it, of a reply, of a task, or of a property that was not read. */
export type SoapFault = {
  /** Without prefix and without `Fault` at its end, such as `InvalidPowerState`; may be empty. */
  readonly type: string;
  /** The server's words on one line, shortened. */
  readonly message: string;
  /** Element with the fields of the fault. */
  readonly detail?: XmlElement;
};

export type SoapCall = {
  /** Name of the method; its reply's element is the name and `Response`. */
  readonly method: string;
  /** Whole document, as `envelopeOf` writes it. */
  readonly envelope: string;
  readonly class: CallClass;
  /** Milliseconds since the epoch. */
  readonly deadlineMs?: number;
};

/** Paths of properties to read, by type of the objects. */
export type PropertyPaths = { readonly [type: string]: readonly string[] };

export type ManagedObject = {
  readonly ref: ManagedRef;
  /** `val` elements by path. A property that is optional and unset is absent. */
  readonly values: ReadonlyMap<string, XmlElement>;
  /** Properties that may not be read, and why. */
  readonly refused: ReadonlyMap<string, SoapFault>;
  /** Properties that this server does not know: it is too old for them. */
  readonly unknown: ReadonlySet<string>;
};

export type ObjectsRead = {
  /** By id. */
  readonly objects: ReadonlyMap<string, ManagedObject>;
  /** Ids of which the server says that there is no such object any more. */
  readonly gone: ReadonlySet<string>;
};

/**
 * A logged-in conversation with one server. Every method throws `RemoteError`; where a fault was
 * answered, `faultOf` gets it back. A session that expired is renewed within, once for all calls in
 * flight. An error of kind not-found is always a `ManagedObjectNotFound` in the server's words.
 */
export type ManagerClient = {
  readonly content: ServiceContent;
  /** As the server spells it, such as `DOMAIN\user`. */
  readonly user: string;
  /**
   * The response element, whose children are `returnval`. Sent at most once with effect: a repeat
   * follows `NotAuthenticated` alone, which proves that none was.
   */
  call(call: SoapCall): Promise<XmlElement>;
  /** Properties of these objects, in as few requests as there are pages. */
  read(refs: readonly ManagedRef[], paths: PropertyPaths): Promise<ObjectsRead>;
  /** Properties of all objects of these types, below the root folder; complete, or an error. */
  readAll(paths: PropertyPaths): Promise<readonly ManagedObject[]>;
  /** The server's own clock, milliseconds. */
  serverTimeMs(): Promise<number>;
};

/** What a provider session holds: opened without a request, logged in by the first use. */
export type ManagerConnection = {
  /** As of a provider session. */
  forsake(): Promise<boolean>;
  /**
   * The one client of this connection. Throws `RemoteError`; a refused login is remembered, so that
   * many objects do not lock the account, any other failure is tried again by the next caller.
   */
  client(): Promise<ManagerClient>;
  /** Does work whose errors must not hold the secrets of this connection. */
  guarded<T>(work: () => Promise<T>): Promise<T>;
  /** Logs out, if a session may be alive, and ends every connection. Never throws. */
  close(): Promise<void>;
};
