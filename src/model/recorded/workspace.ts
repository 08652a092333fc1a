/**
 * Workspaces: several recorded states of one configuration, each with a history of its own. Pure.
 */

import type { StoreSettings } from "./store-settings.ts";

/** The one that is there without being made. */
export const defaultWorkspace = "default";

/** A name stands in paths and addresses, and is told apart from what belongs to vmform. */
export function isWorkspaceName(text: string): boolean {
  return /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?$/.test(text);
}

/** What data says of a workspace: the default one goes without saying. */
export function unlessDefault(name: string): { readonly workspace?: string } {
  return name === defaultWorkspace ? {} : { workspace: name };
}

export type WorkspaceSelection = {
  readonly name: string;
  /** What chose it. */
  readonly by: "default" | "file" | "environment";
};

/** In the name of a state in a database, between that of the configuration and the workspace. */
const separator = "@";
const placeholder = "{workspace}";

/**
 * Where a workspace is kept. The default one is where the settings say; another one of a file is in
 * `workspaces/NAME` beside it, of a database under another name, and on a server where the address
 * has `{workspace}`. Undefined: the settings have room for the default one alone.
 */
export function inWorkspace(settings: StoreSettings, name: string): StoreSettings | undefined {
  const beside = besideIn(settings.beside, name);
  switch (settings.kind) {
    case "local":
      return { ...settings, beside, path: besideIn(settings.path, name) };
    case "postgres":
      return name === defaultWorkspace
        ? settings
        : { ...settings, beside, name: stateNameIn(settings.name, name) };
    case "s3":
      return { ...settings, beside, key: besideIn(settings.key, name) };
    case "http": {
      if (settings.address?.includes(placeholder) !== true) {
        return name === defaultWorkspace ? settings : undefined;
      }
      const filled = (text: string | undefined) => text?.replaceAll(placeholder, name);
      const { lockAddress, unlockAddress } = settings;
      return {
        ...settings,
        beside,
        ...optional("address", filled(settings.address)),
        ...optional("lockAddress", filled(lockAddress)),
        ...optional("unlockAddress", filled(unlockAddress)),
      };
    }
  }
}

/** What the state of a workspace, not the default one, is called in a database. */
export function stateNameIn(base: string, workspace: string): string {
  return `${base}${separator}${workspace}`;
}

/** The workspaces that names of states in a database tell of, besides the default one. */
export function workspacesNamed(base: string, names: readonly string[]): readonly string[] {
  const prefix = stateNameIn(base, "");
  return names
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length))
    .filter(isWorkspaceName);
}

/** Folder of the workspaces of a file, and the name of the file in each. */
export function workspaceFolder(path: string): { readonly folder: string; readonly file: string } {
  const at = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1;
  return { folder: `${path.slice(0, at)}workspaces`, file: path.slice(at) };
}

function besideIn(path: string, name: string): string {
  if (name === defaultWorkspace) return path;
  const { folder, file } = workspaceFolder(path);
  return `${folder}/${name}/${file}`;
}

function optional<K extends string>(
  key: K,
  value: string | undefined,
): { readonly [name in K]?: string } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [name in K]?: string };
}
