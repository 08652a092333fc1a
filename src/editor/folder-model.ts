/** One folder as the editor sees it: its declarations, the types, and what is recorded of it. */

import { resolve } from "node:path";
import type { CommandEnvironment } from "../commands/environment.ts";
import { isConfigurationFile, settingsAlone, validateConfiguration } from "../commands/reading.ts";
import type { FolderReader } from "../config/read/folder.ts";
import { memberNode } from "../lib/yaml/yaml.ts";
import type { DesiredInstance } from "../model/plan/desired.ts";
import type { RecordedState } from "../model/recorded/recorded.ts";
import { hasKeysAtHand } from "../model/recorded/seal.ts";
import type { ResourceSchema } from "../model/value/resource-schema.ts";
import { foldAll } from "../state/fold.ts";
import {
  type DeclaredNames,
  declaredNames,
  type FolderText,
  isTooLong,
  textOf,
} from "./declared-names.ts";

export type FolderModel = {
  readonly directory: string;
  readonly files: readonly FolderText[];
  readonly names: DeclaredNames;
  /** Schema by the type as expressions name it, `data.` before a data source. */
  readonly schema: (type: string) => ResourceSchema | undefined;
  /** Names of the types that there are, by the block that they stand in. */
  readonly types: { readonly resources: readonly string[]; readonly data: readonly string[] };
  /** Outputs of a module that it calls. */
  readonly outputsOf: (call: string) => DeclaredNames | undefined;
  /** Text of a file of a module whose outputs were asked for. */
  readonly otherText: (path: string) => string | undefined;
  /** Recorded state, read now; undefined where nothing is recorded. */
  readonly recorded: () => Promise<RecordedState | Unread | undefined>;
  /** What its configuration wants now; nothing where that is broken, or of a data source. */
  readonly wanted: () => Promise<readonly DesiredInstance[]>;
};

/**
 * Why recorded state was not read. On a server: whoever only looks at a folder has not agreed that
 * its logins go where it says, nor that its programs are run.
 */
export type Unread = "on a server" | "unreadable";

/** `environment` has open texts over saved ones. Never speaks to an endpoint, takes no lock. */
export async function openFolder(
  environment: CommandEnvironment,
  directory: string,
): Promise<FolderModel> {
  const names = (await environment.listFolder(directory)).filter(isConfigurationFile).toSorted();
  const files = await Promise.all(
    names.map(async (name): Promise<FolderText> => {
      const path = resolve(directory, name);
      const bytes = await environment.readFile(path).catch(() => new Uint8Array());
      return { path, text: textOf(bytes) };
    }),
  );
  const declared = declaredNames(files);
  const reader = environment.folderReader(directory);
  const others = new Map<string, string>();
  return {
    directory,
    files,
    names: declared,
    types: {
      resources: Object.keys(environment.types),
      data: Object.keys(environment.dataTypes),
    },
    schema: (type) => schemaOf(environment, type),
    outputsOf: (call) => {
      const found = moduleFiles(reader, declared, directory, call);
      for (const { path, text } of found) others.set(path, text);
      return declaredNames(found);
    },
    otherText: (path) => others.get(path),
    recorded: () => recordedIn(environment, directory),
    wanted: async () =>
      files.some(({ text }) => isTooLong(text)) ? [] : wantedIn(environment, directory),
  };
}

function schemaOf(
  { types, dataTypes }: CommandEnvironment,
  type: string,
): ResourceSchema | undefined {
  const own = type.startsWith("data.") ? type.slice("data.".length) : undefined;
  if (own !== undefined) return Object.hasOwn(dataTypes, own) ? dataTypes[own]?.schema : undefined;
  return Object.hasOwn(types, type) ? types[type]?.schema : undefined;
}

function moduleFiles(
  reader: FolderReader,
  names: DeclaredNames,
  directory: string,
  call: string,
): readonly FolderText[] {
  const source = memberNode(names.get("modules")?.get(call)?.value, "source");
  if (source?.kind !== "scalar") return [];
  const found = reader(source.text, directory);
  if (!found.ok) return [];
  return found.folder.files.map(({ name, bytes }) => ({
    path: resolve(name),
    text: textOf(bytes),
  }));
}

async function recordedIn(
  environment: CommandEnvironment,
  directory: string,
): Promise<RecordedState | Unread | undefined> {
  try {
    const options = { directory, variables: [], variableFiles: [] };
    const { value } = await settingsAlone(environment, options);
    if (value.settings.state.kind !== "local") return "on a server";
    if (!hasKeysAtHand(value.settings.state.encryption)) return "unreadable";
    const store = environment.openStore(value.settings.state);
    try {
      const { snapshot, journal } = await store.read();
      return snapshot === undefined ? undefined : foldAll(snapshot, journal);
    } finally {
      await store.close();
    }
  } catch {
    // Damaged, or of a later version: commands say so. An editor shows what it can.
    return "unreadable";
  }
}

async function wantedIn(
  environment: CommandEnvironment,
  directory: string,
): Promise<readonly DesiredInstance[]> {
  try {
    const options = { directory, variables: [], variableFiles: [] };
    const { value } = await validateConfiguration(environment, options);
    return value?.instances ?? [];
  } catch {
    // What cannot be read is told as a problem.
    return [];
  }
}
