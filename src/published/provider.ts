/**
 * `vmform/provider`: contract 1 between vmform and a provider package, as types. A package is
 * handed all that it needs when it is called, and imports nothing of vmform when it runs.
 */

export type { Disruption } from "../model/operation/disruption.ts";
export type { AttributeExpectation } from "../model/operation/expectation.ts";
export type { PreparedOperation, RequestPreview } from "../model/operation/operation.ts";
export type { RemoteEffect, RemoteErrorKind } from "../model/operation/remote-error.ts";
export type { Observation, Wanted } from "../model/provider/observation.ts";
export type {
  PackageDataType,
  PackageKit,
  PackagePorts,
  PackageResourceType,
  PackageSchema,
  ProviderPackage,
  ProviderPackageFactory,
} from "../model/provider/package.ts";
export type {
  ActionOutlook,
  ActionType,
  Discovered,
  FactsAnswer,
  FactsRequest,
  LoweredStep,
  LowerRequest,
  Objection,
  ProviderSession,
  SendResult,
  TaskStatus,
  View,
} from "../model/provider/provider.ts";
export type { RecordedObject } from "../model/recorded/recorded.ts";
export type { Diagnostic } from "../model/said/diagnostic.ts";
export type { Attributes, PlannedAttributes, PlannedValue, Value } from "../model/value/value.ts";

/** The version of the contract that these types are of. */
export const contract = 1;
