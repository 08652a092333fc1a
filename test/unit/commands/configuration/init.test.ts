/** `vmform init`: what it writes loads, and it writes over nothing. */

import { expect, test } from "vitest";
import { firstConfigurations } from "../../../../src/commands/configuration/first-configurations.ts";
import { type InitOptions, initCommand } from "../../../../src/commands/configuration/init.ts";
import { CommandError } from "../../../../src/commands/environment.ts";
import { parsePlainYaml } from "../../../../src/lib/yaml/plain-yaml.ts";
import {
  dataRegistry,
  providers,
  settingsSchemas,
  typeRegistry,
} from "../../../../src/providers/registry.ts";
import { readWorldSource } from "../../../../src/simulators/world.ts";
import { loadConfig } from "../../../helpers/load-config.ts";
import { fakeEnvironment, stateOf } from "../fake-environment.ts";

const types = {
  types: typeRegistry(),
  dataTypes: dataRegistry(),
  providerSettings: settingsSchemas(),
};

function init(options: Partial<InitOptions>, present: readonly string[] = []) {
  const files = Object.fromEntries(present.map((name) => [name, ""]));
  const { environment } = fakeEnvironment({ state: stateOf([]), files });
  const written = new Map<string, string>();
  const createFile = (path: string, text: string): Promise<void> => {
    if (written.has(path) || present.includes(path))
      return Promise.reject(new Error("overwritten"));
    written.set(path, text);
    return Promise.resolve();
  };
  const made = initCommand(
    { ...environment, createFile, makeFolder: () => Promise.resolve() },
    { directory: ".", providers: ["daemon"], simulator: false, ...options },
  );
  return { made, written };
}

test("every provider with an endpoint has a first configuration", () => {
  const names = providers().map(({ name }) => name);
  expect(Object.keys(firstConfigurations).toSorted()).toEqual(
    names.filter((name) => name !== "noop").toSorted(),
  );
});

const cases = Object.keys(firstConfigurations).flatMap((provider) => [
  { provider, simulator: false },
  { provider, simulator: true },
]);

test.each(cases)("$provider, simulator $simulator: it can be used", async (options) => {
  const { provider, simulator } = options;
  const { made, written } = init({ providers: [provider], simulator });
  const { files, secrets } = await made;
  expect(files).toEqual([...written.keys()]);
  expect(files.at(-1)).toBe("main.vmform.yaml");
  const text = written.get("main.vmform.yaml") ?? "";
  const { value, diagnostics } = loadConfig(text, types);
  expect(diagnostics).toEqual([]);
  expect(value?.instances).toHaveLength(1);
  expect(value?.settings.simulator === undefined).toBe(!options.simulator);
  const world = written.get("world.yaml");
  expect(world === undefined).toBe(!options.simulator);
  if (world !== undefined) {
    const document = parsePlainYaml(world, "world.yaml").value as object;
    readWorldSource(document, undefined);
  }
  const secret = firstConfigurations[options.provider]?.password;
  expect(secrets).toEqual(simulator || secret === undefined ? [] : [{ env: secret }]);
  if (secret !== undefined && !options.simulator) expect(text).toContain(`{ env: ${secret} }`);
});

test.each<[string, Partial<InitOptions>, readonly string[], RegExp, RegExp]>([
  ["no provider", { providers: [] }, [], /daemon, cloud, manager, appliance/, /init daemon/],
  ["a slip", { providers: ["clod"] }, [], /no provider clod/, /Did you mean cloud\?/],
  ["a name of all objects", { providers: ["constructor"] }, [], /no provider/, /There are/],
  ["a configuration", {}, ["a.vmform.yml"], /already: a.vmform.yml/, /--chdir/],
  [
    "a world",
    { providers: ["cloud"], simulator: true },
    ["world.yaml"],
    /world.yaml is there already/,
    /Move it away/,
  ],
  [
    "a password",
    { providers: ["cloud"], simulator: true },
    ["password.txt", "README.md"],
    /password.txt is there already/,
    /Move it away/,
  ],
])("refused: %s", async (_name, options, present, why, fix) => {
  const { made, written } = init(options, present);
  const error: unknown = await made.catch((reason: unknown) => reason);
  if (!(error instanceof CommandError)) throw error;
  expect(error.message).toMatch(why);
  expect(error.fix).toMatch(fix);
  expect([...written]).toEqual([]);
});
