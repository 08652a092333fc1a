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

const factories: readonly ProviderFactory[] = [
  daemonProvider,
  cloudProvider,
  applianceProvider,
  managerProvider,
  noopProvider,
];

export function providers(): readonly ProviderFactory[] {
  return factories;
}

/** Every resource type by name. */
export function typeRegistry(): TypeRegistry {
  const types = factories.flatMap((factory) => factory.types);
  return Object.fromEntries(types.map((type) => [type.name, type]));
}

/** Every type of data source by name. */
export function dataRegistry(): DataRegistry {
  const types = factories.flatMap((factory) => factory.dataTypes);
  return Object.fromEntries(types.map((type) => [type.name, type]));
}

/** Schema of each provider's settings by provider name, without alias; each is read when used. */
export function settingsSchemas(): { readonly [provider: string]: ResourceSchema } {
  return lazyRecord(factories.map((factory) => [factory.name, () => factory.settingsSchema]));
}

/** Every code that a provider's types use in diagnostics. */
export function providerCodes(): Explanations {
  return { ...daemonCodes, ...cloudCodes, ...managerCodes, ...applianceCodes };
}
