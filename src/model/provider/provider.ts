/**
 * The provider contract. A `ResourceType` is the pure half, used while planning; a
 * `ProviderSession` is the effectful half, used by the engine. Both belong to one provider folder.
 */

import type { Disruption } from "../operation/disruption.ts";
import type {
  EffectKind,
  EntityKey,
  OperationProof,
  OperationRequest,
  PreparedOperation,
  RequestPreview,
} from "../operation/operation.ts";
import type { PowerModel, PowerState } from "../operation/power.ts";
import type { BeginEntry } from "../recorded/begin-entry.ts";
import type { RecordedObject } from "../recorded/recorded.ts";
import type { Diagnostic } from "../said/diagnostic.ts";
import type { Address } from "../value/address.ts";
import type { ResourceSchema } from "../value/resource-schema.ts";
import type { Attributes, PlannedAttributes, Value } from "../value/value.ts";
import type { Observation, Wanted } from "./observation.ts";
import type { Survey, SurveyRequest } from "./survey.ts";
import type { ChangeAnswer, ChangeQuestion } from "./told-change.ts";

/**
 * What `lower` is asked to turn into steps. Power words are not its business. `facts` are what the
 * session told about this change; absent in a first round, whose steps only say what is asked.
 */
export type LowerRequest =
  | {
      readonly action: "create";
      readonly identity: string;
      readonly inputs: PlannedAttributes;
      readonly facts?: Attributes;
    }
  | {
      readonly action: "update";
      readonly identity: string;
      readonly inputs: PlannedAttributes;
      readonly changed: readonly string[];
      /** Attributes overlaid by what was read for this plan. */
      readonly prior: RecordedObject;
      readonly facts?: Attributes;
    }
  | {
      readonly action: "delete";
      readonly identity: string;
      readonly prior: RecordedObject;
      /** Of what it is content of, as last read; absent where that is not recorded. */
      readonly container?: Attributes;
    };

/** A change that a provider is asked for facts about. */
export type FactsRequest = {
  readonly address: Address;
  readonly provider: string;
  readonly type: string;
  readonly action: "create" | "update";
  readonly identity: string;
  /** Wanted attributes as far as they are known. */
  readonly wanted: Attributes;
  /** Attributes that change, the wanted power among them. */
  readonly changed: readonly string[];
  /** Attributes as last read. */
  readonly prior: Attributes;
};

export type FactsAnswer =
  | { readonly status: "read"; readonly facts: Attributes }
  | { readonly status: "failed"; readonly reason: string };

/** Why a change cannot be made (`error`), or what a person should know of it (`warning`). */
export type Objection = Omit<Diagnostic, "address" | "source">;

/** One unit of remote work before the planner gives it an id, edges, locks and a place. */
export type LoweredStep = {
  readonly verb: string;
  readonly summary: string;
  readonly effect: EffectKind;
  readonly disrupts?: readonly Disruption[];
  readonly request: Pick<OperationRequest, "inputs" | "repeat" | "unneededBy">;
  readonly order?: {
    /** Power the VM (own, or the container's) must have meanwhile. */
    readonly needs?: PowerState;
    /** The step before it must have succeeded. */
    readonly afterPrevious?: boolean;
    /** Each is used by one unit while it runs; limits stand in the provider's settings. */
    readonly pools?: readonly string[];
    readonly long?: boolean;
  };
  /** The limit is the type's, or the configuration's. */
  readonly proof: Pick<OperationProof, "expect"> & Partial<Omit<OperationProof, "limitMs">>;
  /** Values that join `applied` of the record when it succeeds. */
  readonly applied: PlannedAttributes;
};

/** An attribute that names another object by value, such as a clone's `parent_id`. */
export type ValueLink = {
  readonly attribute: string;
  readonly type: string;
  /** Lock on the other object while this one's create runs. */
  readonly lock: "shared" | "exclusive";
  /** Power that the other object must have for the create to be accepted. */
  readonly needs?: PowerState;
};

/** Something done once by hand and never planned, such as `reset`. */
export type ActionType = {
  readonly name: string;
  readonly description: string;
  readonly disrupts: readonly Disruption[];
};

export type ResourceType = {
  readonly name: string;
  readonly schema: ResourceSchema;
  /**
   * `owned`: made and removed by us. `attached`: it exists; the first change adopts it, the last
   * one forgets it, and it is never created, replaced or deleted.
   */
  readonly ownership: "owned" | "attached";
  /** Replacing one loses nothing that the new one does not have: it needs no consent. */
  readonly replaceIsHarmless?: boolean;
  /** Nothing of it exists on the server but what its operations did: it ends without a request. */
  readonly recordOnly?: boolean;
  /** Attribute that names the container object, and the container's type. */
  readonly container?: {
    readonly attribute: string;
    readonly type: string;
    /** Identity of the container in that of the content. Default: what stands before `/`. */
    readonly of?: (identity: string) => string;
    /** `listContent` knows the content of a container. */
    readonly listed?: boolean;
    /** To list it, each container is asked: an import does so, drift does not. */
    readonly askedEach?: boolean;
    /** Power of the container as the facts of a change tell it. */
    readonly powerIn?: (facts: Attributes) => string | undefined;
    /** What the container must be configured with to take content. */
    readonly requires?: { readonly attribute: string; readonly equals: string | boolean };
  };
  readonly links: readonly ValueLink[];
  readonly power?: PowerModel;
  /**
   * Identity made of key attributes, or undefined while one of them is unset or unknown. Of an
   * attached type: the identity that the configuration gives, undefined where a lookup must find
   * it.
   */
  identityOf(attributes: PlannedAttributes): string | undefined;
  /** Identity as recorded, of what a person typed (a URL, a bare id). Default: as it is. */
  parseIdentity?(text: string): string | undefined;
  /** Lock key of an object of this type. */
  entity(identity: string, settings: Value): EntityKey;
  /**
   * Computed attributes by which the server knows an object besides its identity, such as UUIDs: an
   * object that stands under the identity with another one is another object. Of each group the
   * first that is known of both decides.
   */
  readonly identifiers?: readonly (readonly string[])[];
  /**
   * What the object, or what it is content of, is called elsewhere: a VM that two interfaces reach
   * is one lock, with everything on it, which its power windows reserve as well. `facts` are those
   * of a change.
   */
  aliases?(identity: string, attributes: Attributes, facts?: Attributes): readonly EntityKey[];
  /**
   * Wanted attributes that are about the object as such, whatever interface it is reached through:
   * two addresses that mean one object must not want different values.
   */
  readonly shared?: readonly string[];
  /**
   * Attributes that a change of the same machine at another address moves along, each with the
   * attributes of that change.
   */
  readonly movedBy?: { readonly [attribute: string]: readonly string[] };
  /**
   * Pure. Of what was found under a key: why it is no object of this type, where the interface
   * keeps others beside them. It is neither imported nor changed. Undefined: it is one.
   */
  otherKind?(found: Attributes): string | undefined;
  /** What else work on the object, or on its content, must have alone: the vApp of a VM. */
  surroundings?(attributes: Attributes, settings: Value): readonly EntityKey[];
  /** Attached: what becomes of the object when it leaves the configuration. */
  parting?(applied: Attributes): "keep" | "power-off";
  /** Pure. Whether a wanted value is as good as the one that is there. Default: equality. */
  same?(attribute: string, wanted: Value, actual: Value): boolean;
  /** As of a compared type: what was changed outside is replaced. */
  readonly replacesDrift?: boolean;
  /**
   * Pure. What has to be done again although nothing differs: work that was begun and not ended,
   * or that is due by the clock, or because something that it refers to changes in this plan
   * (`moving`). Names attributes, as `changed` of an update does.
   */
  due?(
    record: RecordedObject,
    wanted: PlannedAttributes,
    nowMs: number,
    moving?: boolean,
  ): readonly string[];
  /** Pure. What a person should know of an object as it was read, whether it changes or not. */
  remarks?(attributes: Attributes): readonly Objection[];
  /** Its changes are asked about before they are lowered. */
  readonly needsFacts?: boolean;
  /** Pure. What stands against a change, judged with the facts of it. */
  objections?(request: LowerRequest): readonly Objection[];
  readonly actions?: readonly ActionType[];
  /** How many units of a pool there are, by the provider's settings; undefined: no limit. */
  poolLimit?(pool: string, settings: Value): number | undefined;
  /** Pure. */
  lower(request: LowerRequest): readonly LoweredStep[];
  /** The wire request of a verb: the one function that preview and sending share. Pure. */
  request(verb: string, identity: string, inputs: PlannedAttributes): RequestPreview | undefined;
  /** Requests of its steps are answered by remote tasks. */
  readonly tasks?: true;
  /** Power words whose request is answered by a remote task; as of a step. */
  readonly wordRequestLimitMs?: number;
  /** Time limit of a verb, milliseconds, when the configuration sets none for it. */
  limitMs(verb: string, attributes: PlannedAttributes): number;
  /** Attribute checks beyond the schema, with values known so far. */
  check?(attributes: PlannedAttributes, address: Address): readonly Diagnostic[];
};

/**
 * Something that can be asked of an endpoint and is never changed, such as the VMs that carry a
 * tag. Attributes of its schema that are not computed are the arguments of the query.
 */
export type DataSourceType = {
  /** Without the `data.` that stands before it in a configuration. */
  readonly name: string;
  readonly schema: ResourceSchema;
};

/** What a mutating request answered. A task interface answers a handle, journaled at once. */
export type SendResult = TaskResult & { readonly handle?: Value };

/** What a remote task tells when it has succeeded, beyond what a read shows. */
export type TaskResult = {
  readonly attributes?: Attributes;
  /** For people, such as how much space was given back. */
  readonly message?: string;
};

export type TaskStatus =
  | { readonly status: "running"; readonly progress?: number; readonly word: string }
  | ({ readonly status: "success" } & TaskResult)
  | {
      readonly status: "failed";
      readonly message: string;
      /** What the failure tells of the object, as of a refusal. */
      readonly attributes?: Attributes;
    }
  /** The task is gone; the object decides. */
  | { readonly status: "vanished" };

/** A remote console: used within seconds, and kept nowhere. */
export type ScreenTicket = {
  /** Whole, as a console client takes it. */
  readonly url: string;
  readonly host: string;
  /** Decoded once. */
  readonly ticket: string;
  readonly validMs: number;
};

export type Discovered = {
  readonly type: string;
  readonly identity: string;
  /** What people call it, such as `shop/web` of a VM in a vApp; not always unique. */
  readonly name?: string;
};

/**
 * One look at an endpoint while nothing is changed there: what was read for it may be used again
 * for it, so that nothing is read twice. A call without one reads anew.
 */
export type View = {
  /** How many objects of a type this look will read at least; many are worth their whole list. */
  readonly expected: (type: string) => number;
};

/** For what a request is sent: the plan, and how often it was tried before, from 1. */
export type SendAttempt = { readonly planId: string; readonly tries: number };

/** A logged-in conversation with one endpoint. Every method throws `RemoteError`. */
export interface ProviderSession {
  /** Where the endpoint is, as `url` of an `Endpoint`; absent where nothing is spoken to. */
  readonly url?: string;
  /** The id that the server has for itself. Sends session and read calls only. */
  instance?(): Promise<string | undefined>;
  /** Same order, one observation each. Sends session and read calls only. */
  read(wanted: readonly Wanted[], view?: View): Promise<readonly Observation[]>;
  /**
   * Sends the one mutating request of the operation, at most once. `attempt` is for whoever carries
   * it elsewhere; nothing depends on it.
   */
  send(
    operation: PreparedOperation,
    deadlineMs: number,
    attempt?: SendAttempt,
  ): Promise<SendResult>;
  poll?(handle: Value): Promise<TaskStatus>;
  /** Asks the server to cancel a remote task; it may go on, or end meanwhile. */
  cancel?(handle: Value): Promise<void>;
  /** The remote task that an interrupted operation began, if the interface lists one. */
  findTask?(begin: BeginEntry): Promise<Value | undefined>;
  /**
   * Ends the login under which requests were sent, so that none that is still on its way is taken;
   * the next call logs in again. False when that is not certain.
   */
  forsake?(): Promise<boolean>;
  /** Same order, one answer each. Sends session and read calls only. */
  facts?(requests: readonly FactsRequest[], view?: View): Promise<readonly FactsAnswer[]>;
  /**
   * What an action would meet. Sends session and read calls only; throws a `RemoteError` of kind
   * precondition for what is known to be refused.
   */
  outlook?(action: string, type: string, identity: string): Promise<ActionOutlook>;
  /** Does one of the type's actions, once, on the subject of its outlook. */
  act?(action: string, type: string, identity: string, subject?: Value): Promise<SendResult>;
  ticket?(type: string, identity: string): Promise<ScreenTicket>;
  /** Version of the interface that is spoken, such as `5.1`. */
  version?(): Promise<string>;
  /** The server's own clock, milliseconds; undefined where it has not told it. */
  serverTime?(): Promise<number | undefined>;
  list?(type: string, view?: View): Promise<readonly Discovered[]>;
  /** Content of these containers, as far as it can be listed just now; of a listed type only. */
  listContent?(type: string, containers: readonly string[]): Promise<readonly Discovered[]>;
  /** The computed attributes of a data source for these arguments. Sends read calls only. */
  readData?(type: string, query: Attributes, view?: View): Promise<Attributes>;
  /**
   * All that the session sees, managed or not, as far as a simulated twin needs it. Absent where
   * there is none. Sends session and read calls only.
   */
  survey?(request: SurveyRequest): Promise<Survey>;
  /**
   * Who has changed what has drifted, as far as the server tells it: same order, one answer each.
   * Absent where it tells nothing of the kind. Sends session and read calls only.
   */
  toldChanges?(questions: readonly ChangeQuestion[]): Promise<readonly ChangeAnswer[]>;
  close(): Promise<void>;
}

export type Provider = {
  readonly name: string;
  readonly settingsSchema: ResourceSchema;
  readonly types: readonly ResourceType[];
  readonly dataTypes: readonly DataSourceType[];
  /** Settings have their secrets resolved. `origin` identifies the endpoint. */
  open(settings: Value): Promise<ProviderSession>;
};

/** What an action would meet, read before anybody is asked about it. */
export type ActionOutlook = {
  /** What it is about, and what is lost by it, for people. */
  readonly remarks?: readonly string[];
  /** Beyond those of the action itself. */
  readonly disrupts?: readonly Disruption[];
  /** Why nothing has to be done. */
  readonly needless?: string;
  /** What exactly was told of, handed to `act`. */
  readonly subject?: Value;
};

/** All known types by name. */
export type TypeRegistry = { readonly [type: string]: ResourceType };
/** All known types of data sources by name. */
export type DataRegistry = { readonly [type: string]: DataSourceType };
