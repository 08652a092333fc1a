/**
 * `vmform/provider/testing`: the conformance suite for a provider package. It runs with any runner
 * of tests, and sees the package as vmform does: behind the door that checks what it gives back.
 *
 *     for (const check of packageChecks(dns, harness)) void test(check.name, check.run);
 */

import { isAbsolute, resolve } from "node:path";
import { createSecretMask } from "../lib/mask.ts";
import type { PackageOpening, ProviderPackageFactory } from "../model/provider/package.ts";
import { isMap, type Value } from "../model/value/value.ts";
import { providerBehindDoor } from "../providers/package/behind-door.ts";
import { checksOf } from "./checks.ts";
import type { Harness, ProviderCheck, Subject } from "./harness.ts";

export type {
  ActionSample,
  DataSample,
  Harness,
  ProviderCheck,
  TestWorld,
  TypeSample,
} from "./harness.ts";

/** All checks of a package, by its default export. */
export function packageChecks(
  make: ProviderPackageFactory,
  harness: Harness,
): readonly ProviderCheck[] {
  return checksOf(() => packageSubject(make), harness);
}

async function packageSubject(make: ProviderPackageFactory): Promise<Subject> {
  const loaded = await providerBehindDoor("under test", make);
  const sensitive = Object.values(loaded.settingsSchema.attributes).filter((one) => one.sensitive);
  return {
    types: loaded.types,
    dataTypes: loaded.dataTypes,
    open: (settings, access) =>
      loaded.open(
        settings,
        opening(
          access,
          sensitive.map(({ name }) => name),
          settings,
        ),
      ),
  };
}

/** As a session is opened by vmform, which knows every secret that it has read. */
function opening(
  access: "read" | "mutate",
  sensitive: readonly string[],
  settings: Value,
): PackageOpening {
  const mask = createSecretMask();
  for (const name of sensitive) {
    const secret = isMap(settings) ? settings[name] : undefined;
    if (typeof secret === "string") mask.add(secret);
  }
  return {
    access,
    mask,
    clock: {
      now: () => Date.now(),
      sleep: (ms) => new Promise((done) => void setTimeout(done, ms)),
    },
    path: (text) => (isAbsolute(text) ? text : resolve(text)),
    log: () => {},
  };
}
