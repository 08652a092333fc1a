/** `vmform init` in a folder with a configuration: fetches its provider packages and modules. */

import { namedPackages } from "../../config/load-packages.ts";
import type { FolderReader } from "../../config/read/folder.ts";
import { hasErrors } from "../../model/said/diagnostic.ts";
import {
  type CommandEnvironment,
  CommandError,
  type FetchedModule,
  type ReadingEnvironment,
} from "../environment.ts";
import { configurationFiles, readConfiguration, type WorkspaceOptions } from "../reading.ts";

type FetchEnvironment = ReadingEnvironment &
  Pick<CommandEnvironment, "moduleInstaller" | "packageLoader">;

/**
 * Fetches what is not here, and what that calls in turn. Other errors of the configuration are of
 * no concern, but while there are any, nothing is taken out of the lock: what is called may stand
 * where nobody can read it. Throws `CommandError` for what cannot be fetched, or be read.
 */
export async function initModules(
  environment: FetchEnvironment,
  options: WorkspaceOptions,
  upgrade: boolean,
): Promise<readonly FetchedModule[]> {
  const installer = await environment.moduleInstaller(options.directory, upgrade);
  const fetched: FetchedModule[] = [];
  const known = new Set<string>();
  for (;;) {
    const { all, missing, refused, isSound } = await sourcesCalled(environment, options);
    const wanted = (upgrade ? all : missing).filter((source) => !known.has(source));
    const [first] = refused;
    if (first !== undefined) throw new CommandError(first.detail, first.fix);
    if (wanted.length === 0) {
      if (isSound) await installer.prune(all);
      return fetched;
    }
    for (const source of wanted) {
      known.add(source);
      const outcome = await installer.fetch(source);
      if (!outcome.ok) throw new CommandError(outcome.detail, outcome.fix);
      if (!fetched.some(({ origin }) => origin === outcome.fetched.origin)) {
        fetched.push(outcome.fetched);
      }
    }
  }
}

type Refused = Pick<Exclude<ReturnType<FolderReader>, { readonly ok: true }>, "detail" | "fix">;

type Called = {
  /** Sources of modules that are fetched. */
  readonly all: readonly string[];
  /** Of these, what is not here. */
  readonly missing: readonly string[];
  /** What no fetching would bring. */
  readonly refused: readonly Refused[];
  readonly isSound: boolean;
};

async function sourcesCalled(
  environment: FetchEnvironment,
  options: WorkspaceOptions,
): Promise<Called> {
  const all = new Set<string>();
  const refused: Refused[] = [];
  const missing = new Set<string>();
  const listening = (reader: FolderReader): FolderReader => {
    return (source, from) => {
      const found = reader(source, from);
      if (!isLocal(source)) all.add(source);
      if (!found.ok && found.isToFetch === true) missing.add(source);
      else if (!found.ok) refused.push(found);
      return found;
    };
  };
  await addPackages(environment, options, { all, missing });
  const folderReader = (root: string): FolderReader => listening(environment.folderReader(root));
  // Without the types of packages something seems wrong; what is called is read all the same.
  const { packages: _packages, ...known } = environment;
  const { diagnostics } = await readConfiguration({ ...known, folderReader }, options);
  const isSound = !hasErrors(diagnostics);
  return { all: [...all], missing: [...missing], refused, isSound };
}

async function addPackages(
  environment: FetchEnvironment,
  { directory }: WorkspaceOptions,
  { all, missing }: { readonly all: Set<string>; readonly missing: Set<string> },
): Promise<void> {
  const { wanted } = namedPackages(await configurationFiles(environment, directory));
  const loader = environment.packageLoader(directory);
  for (const { source } of wanted) {
    if (isLocal(source)) continue;
    all.add(source);
    if (await loader.isMissing(source)) missing.add(source);
  }
}

function isLocal(source: string): boolean {
  return /^(?:\.|\/)/.test(source);
}
