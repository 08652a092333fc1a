/** Loads a configuration in tests: file names to texts or bytes, with the types of the tests. */

import { type Configuration, type LoadInput, loadConfiguration } from "../../src/config/load.ts";
import type { WithDiagnostics } from "../../src/model/said/diagnostic.ts";
import { configDataTypes, configSettings, configTypes } from "./config-types.ts";

export type ConfigFiles = { readonly [name: string]: string | Uint8Array };
export type LoadOptions = Partial<Omit<LoadInput, "variables">> & {
  readonly variables?: Partial<LoadInput["variables"]>;
};

export function loadConfig(
  files: ConfigFiles | string,
  options: LoadOptions = {},
): WithDiagnostics<Configuration | undefined> {
  const named = typeof files === "string" ? { "main.vmform.yaml": files } : files;
  return loadConfiguration({
    directory: "/work-folder",
    home: "/homes/somebody",
    types: configTypes,
    dataTypes: configDataTypes,
    providerSettings: configSettings,
    version: "0.1.0",
    ...options,
    files: Object.entries(named).map(([name, content]) => ({ name, bytes: toBytes(content) })),
    variables: { cli: [], files: [], environment: {}, ...options.variables },
  });
}

export function toBytes(content: string | Uint8Array): Uint8Array {
  return typeof content === "string" ? new TextEncoder().encode(content) : content;
}

/** The configuration, or a failure that lists the diagnostics. */
export function loadSound(files: ConfigFiles | string, options: LoadOptions = {}): Configuration {
  const { value, diagnostics } = loadConfig(files, options);
  if (value === undefined) {
    throw new Error(diagnostics.map(({ code, detail }) => `${code} ${detail}`).join("\n"));
  }
  return value;
}
