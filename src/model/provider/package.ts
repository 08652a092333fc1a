/**
 * Contract 1 between vmform and a provider package: what the default export of a package is given,
 * and what it gives back. Beyond this, a package is handed nothing.
 */

import type { SecretMask } from "../../lib/mask.ts";
import type { RemoteError } from "../operation/remote-error.ts";
import type { ResourceSchema } from "../value/resource-schema.ts";
import type { isUnknown, unknown, Value, ValueMap } from "../value/value.ts";
import type { DataSourceType, ProviderSession, ResourceType } from "./provider.ts";

/** Versions of the contract that this vmform understands. */
export const knownContracts: readonly number[] = [1];

/** What the default export of a package is called with, once, before anything is planned. */
export type PackageKit = {
  readonly contract: 1;
  /** Thrown for what the other side refuses, or does not answer. */
  readonly RemoteError: typeof RemoteError;
  /** Stands for a value that is known after apply. */
  readonly unknown: typeof unknown;
  readonly isUnknown: typeof isUnknown;
};

/** What a session is opened with. */
export type PackagePorts = {
  /** No request that changes anything may be sent in a session of access `read`. */
  readonly access: "read" | "mutate";
  readonly clock: { readonly now: () => number; readonly sleep: (ms: number) => Promise<void> };
  /** Of a path in settings, the absolute one: it begins at the configuration, or at `~`. */
  readonly path: (text: string) => string;
  /** A line for whoever looks for a fault, on standard error; secrets are masked. */
  readonly log: (text: string) => void;
  /** From now on the text is masked in whatever vmform shows or writes: a token, a cookie. */
  readonly hide: (secret: string) => void;
};

/** A JSON Schema of draft-07 with `x-vmform` marks. */
export type PackageSchema = { readonly [keyword: string]: unknown };

/** A resource type as vmform knows it, with its schema as it is written. */
export type PackageResourceType = Omit<
  ResourceType,
  "schema" | "power" | "wordRequestLimitMs" | "movedBy" | "shared" | "recordOnly" | "parting"
> & { readonly schema: PackageSchema };

export type PackageDataType = Omit<DataSourceType, "schema"> & { readonly schema: PackageSchema };

/** What the default export of a package gives back, at once or in a promise. */
export type ProviderPackage = {
  /** First word of each of its types and its key in the block `providers`: letters and digits. */
  readonly name: string;
  /** Of its block in `providers`. */
  readonly settings: PackageSchema;
  readonly types: readonly PackageResourceType[];
  readonly dataTypes?: readonly PackageDataType[];
  /** How long a call may take before it counts as failed, milliseconds. Default: one minute. */
  readonly callLimitMs?: number;
  /** Settings are as their schema says, with defaults, and secrets in the place of references. */
  readonly open: (settings: Value, ports: PackagePorts) => Promise<ProviderSession>;
  /**
   * A simulated other side for `vmform test`, with what the test says is there at the start.
   * Without it, tests that open a session fail.
   */
  readonly simulate?: (
    world: Value,
    ports: Pick<PackagePorts, "clock">,
  ) => PackageWorld | Promise<PackageWorld>;
};

/** The other side as a package simulates it, for tests of configurations. */
export type PackageWorld = {
  /** As `open` of the package; its clock jumps, and it speaks to this world alone. */
  readonly open: ProviderPackage["open"];
  /** What is there now, as conditions of tests name it. */
  readonly present: () => ValueMap;
  /** What somebody else changes. */
  readonly change?: (change: Value) => void | Promise<void>;
};

export type ProviderPackageFactory = (
  kit: PackageKit,
) => ProviderPackage | Promise<ProviderPackage>;

/** What vmform hands a loaded package when a session is opened. */
export type PackageOpening = Omit<PackagePorts, "hide"> & { readonly mask: SecretMask };

/** A provider that comes from a package, behind its door: whatever it does wrong is told as its. */
export type LoadedPackage = {
  readonly name: string;
  /** As `vmform-provider-dns@1.2.3`, with where it is from if that is no registry. */
  readonly label: string;
  readonly settingsSchema: ResourceSchema;
  readonly types: readonly ResourceType[];
  readonly dataTypes: readonly DataSourceType[];
  readonly open: (settings: Value, ports: PackageOpening) => Promise<ProviderSession>;
  /** Absent: it simulates nothing. */
  readonly simulate?: (
    world: Value,
    ports: Pick<PackageOpening, "clock" | "mask">,
  ) => Promise<LoadedWorld>;
};

/** A simulated other side behind the same door. */
export type LoadedWorld = {
  readonly open: LoadedPackage["open"];
  readonly present: () => ValueMap;
  readonly change: (change: Value) => Promise<void>;
};
