/** Variables of a test as a file of variables, so that they are read by their types. */

import type { TestFile, TestRun } from "../../config/testing/tests.ts";
import type { YamlNode } from "../../lib/yaml/yaml.ts";
import type { CommandEnvironment } from "../environment.ts";
import type { WorkspaceOptions } from "../reading.ts";

export type TestVariables = {
  /** To be named as files of variables, in order. */
  readonly names: readonly string[];
  readonly readFile: CommandEnvironment["readFile"];
};

export type GivenVariables = Pick<WorkspaceOptions, "variables" | "variableFiles">;

/** Values of the command line are for what the tests say nothing of. */
export function besideTests(
  { variables, variableFiles }: GivenVariables,
  file: TestFile,
  run: TestRun,
  { names }: TestVariables,
): GivenVariables {
  const own = new Set([...namesIn(file.variables), ...namesIn(run.variables)]);
  return {
    variables: variables.filter(({ name }) => !own.has(name)),
    variableFiles: [...variableFiles, ...names],
  };
}

function namesIn(node: YamlNode | undefined): readonly string[] {
  return node?.kind === "map" ? node.entries.map(({ key }) => key.text) : [];
}

/**
 * The text of the file with everything but the variables blanked out, so that every place stays
 * where it is. Those of the run have a name of their own that leads to the same file.
 */
export function testVariables(
  { source, variables }: TestFile,
  run: TestRun,
  readFile: CommandEnvironment["readFile"],
): TestVariables {
  const { text } = source.index;
  const cut = /[^/\\]*$/.exec(source.name)?.index ?? 0;
  const again = `${source.name.slice(0, cut)}./${source.name.slice(cut)}`;
  const files = new Map<string, Uint8Array>();
  if (variables !== undefined) files.set(source.name, alone(text, variables));
  if (run.variables !== undefined) files.set(again, alone(text, run.variables));
  return {
    names: [...files.keys()],
    readFile: async (path) => files.get(path) ?? (await readFile(path)),
  };
}

function alone(text: string, { start, end }: YamlNode): Uint8Array {
  const blank = text.slice(0, start).replaceAll(/[^\r\n]/g, " ");
  return new TextEncoder().encode(blank + text.slice(start, end));
}
