/**
 * Settings of a provider as its twin takes them: the same endpoint and limits, somebody whom the
 * twin knows, and a password that is made up. No secret of the settings is read for it.
 */

import type { Value, ValueMap } from "../../model/value/value.ts";
import { isMap } from "../../model/value/value.ts";

/** What trusts a certificate: the twin has none. */
const ofCertificates: ReadonlySet<string> = new Set(["ca_file", "thumbprint"]);

export function twinSettings(
  settings: Value,
  { login, password }: { readonly login: ValueMap; readonly password: string },
): Value {
  const written: ValueMap = isMap(settings) ? settings : {};
  const kept = Object.entries(written).filter(([name]) => !ofCertificates.has(name));
  const url = written["url"];
  return {
    ...Object.fromEntries(kept),
    ...login,
    ...(Object.hasOwn(written, "password") ? { password } : {}),
    ...(typeof url === "string" && URL.canParse(url) ? { url: new URL(url).origin } : {}),
  };
}
