/**
 * The block `vmform` as a command has read it last, so that whoever tells hooks of its end need not
 * read the configuration a second time: with thousands of objects that takes as long as the change.
 */

import type { Settings } from "../config/settings/settings.ts";
import type { ReadingEnvironment } from "./environment.ts";

/** By the environment of the command, which has one configuration. */
const known = new WeakMap<ReadingEnvironment, Settings>();

/** Undefined where nothing was read, or what was read last has errors. */
export function knownSettings(environment: ReadingEnvironment): Settings | undefined {
  return known.get(environment);
}

/** What the reading gives, whose settings are known from then on. */
export async function knowing<T extends { readonly value: { readonly settings: Settings } }>(
  environment: ReadingEnvironment,
  read: () => Promise<T>,
): Promise<T> {
  known.delete(environment);
  const given = await read();
  known.set(environment, given.value.settings);
  return given;
}
