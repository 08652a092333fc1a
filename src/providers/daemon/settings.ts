/** Settings of a daemon provider, and the endpoint they name. */

import type { Value } from "../../model/value/value.ts";
import { type ConnectionSettings, readConnection } from "../kit/endpoint.ts";
import { decodeSettings } from "../kit/schema/settings.ts";
import type { DaemonBlock } from "./generated/settings.ts";

/** May stand at the end of a url. */
export const urlEnding = /\/+api$/;

/** Throws `RemoteError` of kind invalid. Other than where a password is sent, any http will do. */
export function readSettings(settings: Value): ConnectionSettings {
  return readConnection("daemon", decodeSettings<DaemonBlock>("daemon", settings), urlEnding);
}
