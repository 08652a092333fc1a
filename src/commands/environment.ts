/** What commands need of the world; wired by `main`. No command touches a terminal. */

import type { PackagesRead } from "../config/load-packages.ts";
import type { MissingVariable } from "../config/missing-variables.ts";
import type { FolderReader } from "../config/read/folder.ts";
import type { EnginePorts, Interrupts } from "../engine/ports.ts";
import type { FileReader } from "../expressions/functions/function-context.ts";
import type { Clock } from "../model/clock.ts";
import type { SitesLook } from "../model/fleet/site-agent.ts";
import type { WorkersLook } from "../model/fleet/worker-look.ts";
import type { EventSink } from "../model/operation/event.ts";
import type { LoadedPackage } from "../model/provider/package.ts";
import type { DataRegistry, TypeRegistry } from "../model/provider/provider.ts";
import type { ShelvedMirror } from "../model/recorded/mirror.ts";
import type { RecordedState } from "../model/recorded/recorded.ts";
import type { Seal } from "../model/recorded/seal.ts";
import type { Fence, Store, StoreError } from "../model/recorded/store.ts";
import type { StoreSettings } from "../model/recorded/store-settings.ts";
import type { WorkspaceSelection } from "../model/recorded/workspace.ts";
import type { Diagnostic } from "../model/said/diagnostic.ts";
import type { Explanations } from "../model/said/explanation.ts";
import type { Hook, HookMessage } from "../model/said/hook.ts";
import type { ResourceSchema } from "../model/value/resource-schema.ts";
import type { PlannedValue, Value, ValueMap } from "../model/value/value.ts";
import type { commandCodes } from "./codes.ts";
import type { FleetPorts } from "./fleet/ports.ts";
import type { Twin, TwinSource } from "./rehearse/twin.ts";

/** The workspaces of one store. Throws `StoreError`. */
export type StoredWorkspaces = {
  /** Besides the default one, in no order. Undefined where the store cannot tell. */
  readonly names: () => Promise<readonly string[] | undefined>;
  /** Deletes all that is recorded in one. Undefined where the store cannot. */
  readonly remove: ((name: string) => Promise<void>) | undefined;
  readonly close: () => Promise<void>;
};

export type Operator = {
  readonly who: string;
  readonly host: string;
  /** Of what was submitted, where a worker does it. */
  readonly submission?: string;
};

/** Which of the two copies is read and written: the store itself, or its mirror on this machine. */
export type StateSource = "store" | "mirror";

/** All mirrors of a folder of configuration. Throws `StoreError`. */
export type Mirrors = {
  readonly list: () => Promise<readonly ShelvedMirror[]>;
  /** Takes one away; what only it holds is in these files then. */
  readonly putAside: (
    name: string,
  ) => Promise<{ readonly state: string | undefined; readonly files: readonly string[] }>;
};

/** A place of recorded state besides the configured one, and what is there. */
export type RecordedPlace = {
  /** For people. */
  readonly location: string;
  /** Of a file, relative to the configuration. */
  readonly path?: string;
  /** The name of the mirror by which it is known. */
  readonly mirror?: string;
  readonly recorded: RecordedState;
};

export type CommandStore = Store & {
  /** Saves a state that its own place did not take; resolves to the error to show. */
  writeEmergencyCopy(state: RecordedState, cause: unknown): Promise<StoreError>;
};

/** Providers of one run; with an embedded simulator, requests are dialled to it. */
export type ProviderAccess = {
  readonly open: EnginePorts["open"];
  /** The commands that these values name as secrets may be run; others are not. */
  readonly allowCommands: (value: PlannedValue) => void;
  /** Requests sent so far, of every class. */
  readonly requestsSent: () => number;
  readonly close: () => Promise<void>;
};

/** What stands behind what a run asks of endpoints: calls to sites travel by its database. */
export type BehindRun = {
  readonly state: StoreSettings;
  /** The lock of recorded state. Absent: the run has none. */
  readonly fence?: Fence;
};

/** What a test of a configuration runs against. */
export type TestWorldSource = {
  /** Path of a world file, or what one would hold. */
  readonly world: Value;
  /** Its time at the start. */
  readonly startMs: number;
  /** Environment variables that secrets may name, instead of those of the process. */
  readonly environment: { readonly [name: string]: string };
  /** What is in the worlds that provider packages simulate, by provider. */
  readonly packages: ValueMap;
};

/**
 * A simulated world with a clock of its own, and recorded state that is written nowhere. What is
 * opened with it speaks to the world alone, whatever a configuration says of endpoints. What it is
 * given and cannot use is a `CommandError`.
 */
export type TestWorld = {
  /** Stands still, but for waiting, which takes no time. */
  readonly clock: Clock;
  readonly store: CommandStore;
  readonly openProviders: (directory: string, events: EventSink) => Promise<ProviderAccess>;
  /** Which requests go wrong from now on: the path of a fault script, or its rules. */
  readonly setFaults: (faults: Value | undefined) => void;
  /** Rules by their names, and whether a request has met them. */
  readonly faults: () => readonly { readonly name: string; readonly used: boolean }[];
  /** What somebody else changes. */
  readonly change: (change: Value) => Promise<void>;
  /** The same in worlds of provider packages, by provider. */
  readonly changePackages: (changes: ValueMap) => Promise<void>;
  /** As `setFaults`, of the worlds that provider packages simulate, by provider. */
  readonly setPackageFaults: (faults: ValueMap | undefined) => void;
  readonly packageFaults: TestWorld["faults"];
  /** Time that passes without anything being done. */
  readonly pass: (ms: number) => void;
  /** Every request so far, in order; without what lets in. */
  readonly requests: () => readonly ValueMap[];
  readonly present: () => ValueMap;
  readonly close: () => Promise<void>;
};

export type EmbeddedSimulator = {
  /** World file that seeds it. */
  readonly world: string;
  /** File that keeps the world between runs. */
  readonly persist: string;
};

/** What stands at a path. A `stream` is no file, such as a pipe or `/dev/stdout`. */
export type FileLook =
  /** `path` is where links lead. */
  | { readonly kind: "absent"; readonly path: string }
  | { readonly kind: "file"; readonly path: string; readonly bytes: Uint8Array }
  | { readonly kind: "folder"; readonly path: string }
  | { readonly kind: "stream"; readonly path: string };

export type CommandFiles = {
  /** Names of the files in a folder. */
  readonly listFolder: (path: string) => Promise<readonly string[]>;
  readonly readFile: (path: string) => Promise<Uint8Array>;
  readonly lookAtFile: (path: string) => Promise<FileLook>;
  /**
   * Replaces the file whole, where links lead. It is readable by its owner only, also when others
   * could read the one before.
   */
  readonly writeFile: (path: string, text: string) => Promise<void>;
  /** Replaces the file whole; who may read it stays. */
  readonly rewriteFile: (path: string, text: string) => Promise<void>;
  /** In one write at the end, wherever that is by then; a new file is its owner's alone. */
  readonly appendToFile: (path: string, text: string) => Promise<void>;
  /** Makes a new file; an error when one is there. */
  readonly createFile: (path: string, text: string) => Promise<void>;
  /** Makes a folder, and those it stands in; one that is there is no error. */
  readonly makeFolder: (path: string) => Promise<void>;
};

/** The examples that the program is shipped with. */
export type ShippedExamples = {
  readonly names: () => Promise<readonly string[]>;
  /** Paths are relative to the folder of the example, with `/` between their parts. */
  readonly files: (
    name: string,
  ) => Promise<readonly { readonly path: string; readonly text: string }[]>;
};

export type FetchedModule = { readonly origin: string; readonly hash: string };

export type ModuleInstaller = {
  /** Fetches one source, and locks what it is. */
  readonly fetch: (
    source: string,
  ) => Promise<
    | { readonly ok: true; readonly fetched: FetchedModule }
    | { readonly ok: false; readonly detail: string; readonly fix?: string }
  >;
  /** Forgets what none of the sources is. */
  readonly prune: (sources: readonly string[]) => Promise<void>;
};

/** Provider packages by their sources. */
export type PackageLoader = {
  /** Does not throw for what the package does. */
  readonly load: (
    source: string,
  ) => Promise<
    | { readonly ok: true; readonly package: LoadedPackage }
    | { readonly ok: false; readonly detail: string; readonly fix: string }
  >;
  /** Whether it is to be fetched before it can be loaded. */
  readonly isMissing: (source: string) => Promise<boolean>;
};

/** What reading a configuration needs. */
export type ReadingEnvironment = Pick<CommandFiles, "listFolder" | "readFile"> & {
  readonly version: string;
  /** Reads files that expressions name, relative to a folder; each one time. */
  readonly fileReader: (folder: string) => FileReader;
  /** Reads the folders of modules that are called from a root module. */
  readonly folderReader: (root: string) => FolderReader;
  /** The packages that joined it. Absent: none were named. */
  readonly packages?: PackagesRead;
  readonly types: TypeRegistry;
  readonly dataTypes: DataRegistry;
  readonly providerSettings: { readonly [provider: string]: ResourceSchema };
  readonly clock: Clock;
  /** Environment variables that begin with `VMFORM_VAR_`, without it. */
  readonly variables: { readonly [name: string]: string };
  readonly system: Pick<SystemProbe, "home">;
  readonly interrupts: RunInterrupts;
  /** Which workspace was chosen in a folder. Absent: the default one. */
  readonly workspace?: (directory: string) => Promise<WorkspaceSelection>;
  /** Asks a person for a value; undefined when none is given. Absent where nobody can be asked. */
  readonly askVariable?: (variable: MissingVariable) => Promise<string | undefined>;
};

/** What is needed beyond that by work with recorded state and with what endpoints have. */
export type WorkspaceEnvironment = ReadingEnvironment &
  CommandFiles & {
    /** Where it is kept how long operations took. Absent: nowhere. */
    readonly durationFiles?: Pick<CommandFiles, "readFile" | "writeFile">;
    readonly newId: () => string;
    /** Who runs this, and where. */
    readonly operator: Operator;
    /** A text without the secrets that were read. Absent: none were. */
    readonly maskText?: (text: string) => string;
    /**
     * The store is closed by whoever opened it. Nothing is connected to before the first call.
     * `from` is the store, unless it says otherwise.
     */
    readonly openStore: (settings: StoreSettings, from?: StateSource) => CommandStore;
    /**
     * Who is at sites; undefined where recorded state is in no database. Absent where everything
     * leads to a simulator. Throws `StoreError`.
     */
    readonly lookAtSites?: (
      state: StoreSettings,
      sites: readonly string[],
    ) => Promise<SitesLook | undefined>;
    /** Which workers there are. Undefined where nobody has any. Throws `StoreError`. */
    readonly lookAtWorkers?: (state: StoreSettings) => Promise<WorkersLook | undefined>;
    /**
     * How texts beside recorded state are encrypted, such as saved plans; `location` is theirs.
     * Throws `StoreError` where keys cannot be had.
     */
    readonly openSeal: (settings: StoreSettings, location: string) => Promise<Seal>;
    /** What else is kept where the settings of the default workspace lead. */
    readonly openWorkspaces: (written: StoreSettings) => Promise<StoredWorkspaces>;
    /** The mirrors of a folder, encrypted as its settings say. */
    readonly openMirrors: (directory: string, settings: StoreSettings) => Promise<Mirrors>;
    /** Places that this machine knows of besides the one of these settings. Absent: none. */
    readonly recordedPlaces?: (
      directory: string,
      settings: StoreSettings,
    ) => Promise<readonly RecordedPlace[]>;
    /** Remembers a choice for the folder. */
    readonly selectWorkspace: (directory: string, name: string) => Promise<void>;
    /** Statements that make what the store needs; undefined of one that needs nothing made. */
    readonly storeDefinitions: (settings: StoreSettings) => Promise<string | undefined>;
    /** Files that settings name (secrets, certificates) are relative to `directory`. */
    readonly openProviders: (
      simulator: EmbeddedSimulator | undefined,
      directory: string,
      behind: BehindRun,
      packages?: readonly LoadedPackage[],
    ) => Promise<ProviderAccess>;
    readonly events: EventSink;
    /**
     * Why a hook could not be told; undefined once it has been. Does not reject. Absent: nobody is
     * told anything, as in tests of configurations.
     */
    readonly sendHook?: (hook: Hook, message: HookMessage) => Promise<string | undefined>;
    readonly system: SystemProbe;
    /** Tells remarks about the configuration, but where standard output is one document. */
    readonly remark: (diagnostics: readonly Diagnostic[]) => void;
  };

/** All that any command needs. Each takes of it what it uses. */
export type CommandEnvironment = WorkspaceEnvironment & {
  /** Fetches modules for a root module. */
  readonly moduleInstaller: (root: string, upgrade: boolean) => Promise<ModuleInstaller>;
  /** Loads provider packages for a root module. */
  readonly packageLoader: (root: string) => PackageLoader;
  /** Codes that the types of providers use in diagnostics. */
  readonly providerCodes: () => Explanations;
  readonly examples: ShippedExamples;
  /** Loads what workers and those who ask them need. */
  readonly loadFleet: () => Promise<FleetPorts>;
  /** Throws `CommandError` for a world that cannot be simulated. */
  readonly openTwin: (source: TwinSource) => Promise<Twin>;
  readonly openTestWorld: (
    source: TestWorldSource,
    packages?: readonly LoadedPackage[],
  ) => Promise<TestWorld>;
  /** From now on the text is masked in whatever is logged, and told of a fault. */
  readonly hideSecret: (secret: string) => void;
};

/** What the machine is like; looking changes nothing. */
export type SystemProbe = {
  /** As in `v22.1.0`. */
  readonly nodeVersion: string;
  /** Home folder of who runs this: `~` in paths. */
  readonly home: string;
  /** Why nothing can be written to the folder, made or not; undefined when it can. */
  readonly folderProblem: (path: string) => Promise<string | undefined>;
  /** Host and port of the proxy by which an origin is reached. Throws `RemoteError`. */
  readonly proxyOf: (origin: string) => string | undefined;
};

export type RunInterrupts = Interrupts & {
  /**
   * Settles as the work does, or rejects with `InterruptedError` at the first request to stop. The
   * work is not stopped by it, so it must be of a kind that may be left alone. It is begun when
   * requests are heard, so that nothing it says comes before that.
   */
  readonly untilInterrupted: <T>(work: () => Promise<T>) => Promise<T>;
  /** From now on a request to stop drains. Throws `InterruptedError` when one came before. */
  readonly begin: () => void;
  /** Who asked to stop, in words, where it is nobody at this terminal. */
  readonly asker?: () => string | undefined;
  /** What is still tried, for a moment, when the user asks a second time. */
  readonly onQuit?: (listener: () => Promise<void>) => void;
};

/** The user asked to stop before anything was begun. */
export class InterruptedError extends Error {}

/** What stops a command is told by diagnostics, which have places, as those of a configuration. */
export class DiagnosticError extends Error {
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[]) {
    super(diagnostics.map(({ detail }) => detail).join(" "));
    this.name = "DiagnosticError";
    this.diagnostics = diagnostics;
  }
}

/** Kinds of `CommandError`, each with its stable code. */
export const commandProblems = {
  command: "CLI001",
  usage: "CLI002",
  file: "CLI003",
  approval: "CLI004",
  consent: "CLI005",
  plan: "CLI006",
  save: "CLI007",
  action: "CLI009",
  ticket: "CLI010",
  overwrite: "CLI014",
  elsewhere: "CLI012",
} as const satisfies { readonly [kind: string]: keyof typeof commandCodes };

export type CommandProblem = keyof typeof commandProblems;

/** An error the user can mend, with the way out. */
export class CommandError extends Error {
  readonly fix: string | undefined;
  readonly problem: CommandProblem;

  constructor(message: string, fix?: string, problem: CommandProblem = "command") {
    super(message);
    this.name = "CommandError";
    this.fix = fix;
    this.problem = problem;
  }
}
