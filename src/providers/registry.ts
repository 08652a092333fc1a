/** All providers of this build. The prefix of a type up to its first `_` names its provider. */

import { lazyRecord } from "../lib/lazy-record.ts";
import type { DataRegistry, TypeRegistry } from "../model/provider/provider.ts";
import type { Explanations } from "../model/said/explanation.ts";
import type { ResourceSchema } from "../model/value/resource-schema.ts";
import { applianceCodes } from "./appliance/codes.ts";
import { applianceProvider } from "./appliance/provider.ts";
import { cloudCodes } from "./cloud/codes.ts";
import { cloudProvider } from "./cloud/provider.ts";
import { daemonCodes } from "./daemon/codes.ts";
import { daemonProvider } from "./daemon/provider.ts";
import type { ProviderFactory } from "./kit/factory.ts";
import { managerCodes } from "./manager/codes.ts";
import { managerProvider } from "./manager/provider.ts";
import { noopProvider } from "./noop/provider.ts";

type Known = {
  readonly name: string;
  /** Names of its resource types. */
  readonly types: readonly string[];
  /** Names of its data sources. */
  readonly data: readonly string[];
  readonly factory: ProviderFactory;
};

/**
 * Names stand here too, so that no provider is looked into before a name of it is used: the build
 * loads each then (`rolldown.config.mjs`). A test holds them against the providers.
 */
const known: readonly Known[] = [
  {
    name: "daemon",
    types: ["daemon_vm", "daemon_shared_folder"],
    data: ["daemon_vms"],
    factory: daemonProvider,
  },
  {
    name: "cloud",
    types: ["cloud_vm", "cloud_snapshot"],
    data: ["cloud_query", "cloud_vm", "cloud_datastore", "cloud_vapp"],
    factory: cloudProvider,
  },
  {
    name: "appliance",
    types: ["appliance_storage"],
    data: ["appliance_storage"],
    factory: applianceProvider,
  },
  {
    name: "manager",
    types: ["manager_vm", "manager_disk", "manager_disk_reclaim", "manager_login_alarm"],
    data: ["manager_host", "manager_vm", "manager_disks", "manager_login_events"],
    factory: managerProvider,
  },
  { name: "noop", types: ["noop_resource"], data: [], factory: noopProvider },
];

export function providers(): readonly ProviderFactory[] {
  return known.map(({ factory }) => factory);
}

/** The provider of a name without alias. */
export function providerNamed(name: string): ProviderFactory | undefined {
  return known.find((one) => one.name === name)?.factory;
}

/** Every resource type by name; each is loaded when used. */
export function typeRegistry(): TypeRegistry {
  return lazyRecord(
    known.flatMap(({ types, factory }) =>
      types.map((name) => [name, () => named(factory.types, name)] as const),
    ),
  );
}

/** Every type of data source by name; each is loaded when used. */
export function dataRegistry(): DataRegistry {
  return lazyRecord(
    known.flatMap(({ data, factory }) =>
      data.map((name) => [name, () => named(factory.dataTypes, name)] as const),
    ),
  );
}

function named<T extends { readonly name: string }>(types: readonly T[], name: string): T {
  const found = types.find((type) => type.name === name);
  if (found === undefined) throw new Error(`no provider has a type ${name}`);
  return found;
}

/** Schema of each provider's settings by provider name, without alias; each is read when used. */
export function settingsSchemas(): { readonly [provider: string]: ResourceSchema } {
  return lazyRecord(known.map(({ name, factory }) => [name, () => factory.settingsSchema]));
}

/** Every code that a provider's types use in diagnostics. */
export function providerCodes(): Explanations {
  return { ...daemonCodes, ...cloudCodes, ...managerCodes, ...applianceCodes };
}
