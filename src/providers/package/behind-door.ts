/**
 * A provider behind its door: what the default export of a package gives back, once it fits the
 * contract. Beyond the kit and what a session is opened with, it is handed nothing.
 */

import type { SecretMask } from "../../lib/mask.ts";
import { RemoteError } from "../../model/operation/remote-error.ts";
import type {
  LoadedPackage,
  PackageKit,
  PackageOpening,
  ProviderPackage,
  ProviderPackageFactory,
} from "../../model/provider/package.ts";
import { PackageFailure } from "../../model/provider/package-failure.ts";
import type { ProviderSession } from "../../model/provider/provider.ts";
import { type ResourceSchema, readResourceSchema } from "../../model/value/resource-schema.ts";
import { isMap, isUnknown, unknown, type Value } from "../../model/value/value.ts";
import { refusal } from "../kit/refusal.ts";
import { filledSettings } from "../kit/schema/decode.ts";
import { type Door, reasonOf } from "./answer.ts";
import { definitionFaults, isDefinition } from "./definition.ts";
import { askPackage, type SessionDoor, sessionBehindDoor } from "./session-door.ts";
import { ownSettings, typeBehindDoor } from "./type-door.ts";
import { copyOf, lent } from "./value.ts";
import { worldBehindDoor } from "./world-door.ts";

const kit: PackageKit = Object.freeze({ contract: 1, RemoteError, unknown, isUnknown });

/** Of a default export. Throws `PackageFailure` for what is no provider. */
export async function providerBehindDoor(label: string, make: unknown): Promise<LoadedPackage> {
  return guarded(label, await definedBy(label, make));
}

async function definedBy(label: string, make: unknown): Promise<ProviderPackage> {
  if (!isFactory(make)) throw new PackageFailure(label, "its default export is no function");
  let given: unknown;
  try {
    given = await make(kit);
  } catch (error) {
    throw new PackageFailure(label, `its default export: ${reasonOf(error)}`, error);
  }
  const faults = definitionFaults(given);
  if (faults.length === 0 && isDefinition(given)) return given;
  throw new PackageFailure(label, `it does not fit contract 1: ${faults.slice(0, 5).join("; ")}`);
}

function isFactory(value: unknown): value is ProviderPackageFactory {
  return typeof value === "function";
}

function guarded(label: string, definition: ProviderPackage): LoadedPackage {
  const masks = new Set<SecretMask>();
  const door: Door = {
    label,
    hide: (text) => [...masks].reduce((masked, mask) => mask.mask(masked), text),
  };
  const { name, types, dataTypes = [] } = definition;
  const settingsSchema = schemaOf(name, definition.settings);
  const behind = types.map((type) => typeBehindDoor(type, schemaOf(type.name, type.schema), door));
  const data = dataTypes.map((type) => ({
    name: type.name,
    schema: schemaOf(type.name, type.schema),
  }));
  const opening =
    (open: ProviderPackage["open"]): LoadedPackage["open"] =>
    (settings, ports) => {
      masks.add(ports.mask);
      return opened({ ...definition, open }, settings, ports, {
        ...door,
        schemas: byName(behind),
        dataSchemas: byName(data),
        callLimitMs: definition.callLimitMs ?? 60_000,
        access: ports.access,
        now: () => ports.clock.now(),
      });
    };
  const simulated =
    (simulate: NonNullable<ProviderPackage["simulate"]>): NonNullable<LoadedPackage["simulate"]> =>
    async (world, { clock, mask }) => {
      masks.add(mask);
      const given = await worldBehindDoor(simulate, world, clock, door);
      return { ...given, open: opening(given.open) };
    };
  return {
    name,
    label,
    settingsSchema,
    types: behind,
    dataTypes: data,
    open: opening(definition.open),
    ...(definition.simulate === undefined ? {} : { simulate: simulated(definition.simulate) }),
  };
}

function byName(types: readonly { readonly name: string; readonly schema: ResourceSchema }[]): {
  readonly [type: string]: ResourceSchema;
} {
  return Object.fromEntries(types.map(({ name, schema }) => [name, schema]));
}

function schemaOf(name: string, json: object): ResourceSchema {
  const copy = copyOf(json, name);
  return readResourceSchema(name, isMap(copy) ? copy : {});
}

async function opened(
  definition: ProviderPackage,
  settings: Value,
  ports: PackageOpening,
  door: SessionDoor,
): Promise<ProviderSession> {
  const { access, clock, path, log, mask } = ports;
  const given = filledSettings(definition.settings, ownSettings(settings), (problem) =>
    refusal("invalid", `provider ${definition.name}: ${problem}`),
  );
  const session = await askPackage(door, {
    what: "open",
    work: () =>
      definition.open(lent(given), {
        access,
        clock: { now: () => clock.now(), sleep: (ms) => clock.sleep(ms) },
        path,
        log: (text) => log(mask.mask(text)),
        hide: (secret) => mask.add(secret),
      }),
    read: (value) => {
      if (isSession(value)) return value;
      throw new Error("it gives back no session with read, send and close");
    },
  });
  return sessionBehindDoor(session, door);
}

function isSession(value: unknown): value is ProviderSession {
  if (typeof value !== "object" || value === null) return false;
  return ["read", "send", "close"].every(
    (name) => name in value && typeof Reflect.get(value, name) === "function",
  );
}
