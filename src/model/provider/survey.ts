/**
 * What one look at an endpoint finds, managed or not: as much as a simulated twin of it needs.
 * Whatever an interface does not tell is absent, and named among `unknown`; nothing is guessed.
 */

/** The objects that a plan is about: of their machines everything is read, of others the list. */
export type SurveyRequest = {
  readonly objects: readonly { readonly type: string; readonly identity: string }[];
};

export type Survey = {
  /** Who the session is. */
  readonly account?: {
    readonly name: string;
    readonly organization?: string;
    /** Of the whole service. */
    readonly administrator?: boolean;
  };
  /** Version of the interface that is spoken. */
  readonly version?: string;
  /** How the endpoint behaves, by the interface's own words. */
  readonly traits: { readonly [name: string]: string | boolean };
  /** Infrastructure managers behind a cloud. */
  readonly managers: readonly SurveyedPlace[];
  readonly hosts: readonly (SurveyedPlace & { readonly nestedSupported?: boolean })[];
  readonly datastores: readonly SurveyedDatastore[];
  /** vApps. */
  readonly groups: readonly (SurveyedPlace & { readonly owner?: string })[];
  readonly machines: readonly SurveyedMachine[];
  readonly alarms: readonly SurveyedAlarm[];
  /** Of an appliance. Absent: there are none as a rule. */
  readonly partitions?: readonly SurveyedPartition[];
  /** What was not told, one sentence each, without a full stop. */
  readonly unknown: readonly string[];
};

/** The id is as links and references have it. */
export type SurveyedPlace = { readonly id: string; readonly name: string };

export type SurveyedDatastore = SurveyedPlace & {
  /** Id of the manager that has it. */
  readonly manager?: string;
  /** What the manager calls it, where that is another id. */
  readonly moref?: string;
  readonly capacityMb?: number;
  readonly usedMb?: number;
  /** Nothing can be put on one that is not. */
  readonly usable: boolean;
  /** Ids of the hosts that reach it. */
  readonly hosts?: readonly string[];
};

export type SurveyedMachine = SurveyedPlace & {
  /** In the words of resources, `power_state`; undefined where it says nothing of power. */
  readonly power?: string;
  /** It has its resources; the word of its power tells so of one that is off, not of others. */
  readonly deployed?: boolean;
  /** Id of its vApp. */
  readonly group?: string;
  /** Names of the folders that it stands in, with `/` between them. */
  readonly folder?: string;
  /** Id, or the name where the interface tells no more. */
  readonly host?: string;
  /** Id of its datastore. */
  readonly datastore?: string;
  /** Id of its manager, and what that calls it. */
  readonly manager?: string;
  readonly moref?: string;
  readonly uuid?: string;
  readonly instanceUuid?: string;
  readonly hardwareVersion?: number;
  readonly nested?: boolean;
  readonly tools?: "running" | "absent";
  readonly cpus?: number;
  readonly memoryMb?: number;
  readonly guestOs?: string;
  readonly storageMb?: number;
  readonly storageProfile?: string;
  readonly independentDisk?: boolean;
  readonly template?: boolean;
  /** Why its manager is out of touch with it, in its own word; absent while it is in touch. */
  readonly connection?: string;
  /** Rights on it that the session has not: `power`, `snapshot`, `nested`, `relocate`. */
  readonly withheld?: readonly string[];
  /** Texts beside the name. */
  readonly tag?: string;
  readonly address?: string;
  /** Oldest first. Absent: not known. */
  readonly snapshots?: readonly SurveyedSnapshot[];
  readonly disks?: readonly SurveyedDisk[];
  readonly folders?: readonly SurveyedFolder[];
};

export type SurveyedSnapshot = {
  readonly name?: string;
  /** Instant in UTC. */
  readonly createdAt?: string;
  readonly poweredOn?: boolean;
  readonly sizeBytes?: number | bigint;
};

export type SurveyedDisk = {
  /** Key within the machine. */
  readonly id: string;
  readonly label?: string;
  readonly capacityMb: number;
  readonly format?: string;
  readonly datastore?: string;
  /** Within its datastore. */
  readonly path?: string;
  readonly uuid?: string;
  /** It is the delta of a linked clone. */
  readonly linked?: boolean;
  readonly deltaDiskFormat?: string;
};

/** A folder of the host that a machine shares. */
export type SurveyedFolder = {
  readonly name: string;
  readonly hostPath: string;
  readonly writable: boolean;
};

export type SurveyedAlarm = SurveyedPlace & {
  readonly user: string;
  readonly enabled: boolean;
  readonly description?: string;
};

/** A file system of an appliance; several may be on one disk, and grow with it. */
export type SurveyedPartition = {
  /** Its purpose: `core`. */
  readonly name: string;
  /** Number of its disk. */
  readonly disk: number;
  /** Absent where it is not told. */
  readonly sizeGb?: number;
};
