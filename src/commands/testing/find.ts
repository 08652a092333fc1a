/** Finds the files of tests of a folder, and chooses among them. */

import { basename, join } from "node:path";
import { problem } from "../codes.ts";
import { type CommandEnvironment, DiagnosticError } from "../environment.ts";
import { isTestFile } from "../reading.ts";

/** Beside the configuration, or in this folder below it. */
const testsFolder = "tests";

export type FoundTest = {
  /** As it is shown. */
  readonly name: string;
  /** Folder that what it names is relative to. */
  readonly folder: string;
};

/**
 * Sorted by name. `filters` are names of files, with their folder or without; none chooses all.
 * Throws `DiagnosticError` where there is none, or none of a name.
 */
export async function findTests(
  environment: Pick<CommandEnvironment, "listFolder" | "lookAtFile">,
  directory: string,
  filters: readonly string[],
): Promise<readonly FoundTest[]> {
  const all = await allTests(environment, directory);
  if (all.length === 0) {
    const below = join(directory, testsFolder);
    throw none(`${directory} has no *.vmformtest.yaml file, nor has ${below}.`);
  }
  for (const filter of filters) {
    if (all.some(({ name }) => isMeant(name, directory, filter))) continue;
    const known = all.map(({ name }) => name).join(", ");
    throw none(`There is no file of tests ${filter}.`, `There is ${known}.`);
  }
  if (filters.length === 0) return all;
  return all.filter(({ name }) => filters.some((filter) => isMeant(name, directory, filter)));
}

/** Those beside the configuration, and those below. */
export async function allTests(
  environment: Pick<CommandEnvironment, "listFolder" | "lookAtFile">,
  directory: string,
): Promise<readonly FoundTest[]> {
  const own = (await environment.listFolder(directory)).filter(isTestFile);
  return [
    ...own.toSorted().map((name) => ({ name: join(directory, name), folder: directory })),
    ...(await testsBelow(environment, directory)),
  ];
}

/** Those in the folder of tests, if there is one, sorted. */
export async function testsBelow(
  environment: Pick<CommandEnvironment, "listFolder" | "lookAtFile">,
  directory: string,
): Promise<readonly FoundTest[]> {
  const folder = join(directory, testsFolder);
  const { kind } = await environment.lookAtFile(folder);
  if (kind !== "folder") return [];
  const names = (await environment.listFolder(folder)).filter(isTestFile);
  return names.toSorted().map((name) => ({ name: join(folder, name), folder }));
}

function isMeant(name: string, directory: string, filter: string): boolean {
  return [name, basename(name)].includes(join(filter)) || name === join(directory, filter);
}

export function none(detail: string, fix?: string): DiagnosticError {
  return new DiagnosticError([problem({}, "CLI046", { detail, fix })]);
}
