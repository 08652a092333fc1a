/** Which workspace was chosen, and which ones a store has. */

import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileProblem } from "../../cli/files/file-problem.ts";
import type { StoredWorkspaces } from "../../commands/environment.ts";
import { writeFile } from "../../lib/files/atomic-file.ts";
import { nodeFileSystem } from "../../lib/files/file-system.ts";
import { realPathOf } from "../../lib/files/real-path.ts";
import { isSystemError } from "../../lib/files/system-error.ts";
import type { StoreSettings } from "../../model/recorded/store-settings.ts";
import {
  defaultWorkspace,
  stateNameIn,
  type WorkspaceSelection,
  workspacesNamed,
} from "../../model/recorded/workspace.ts";
import { removeBeside, workspacesBeside } from "../../store/local/workspaces.ts";
import type { StorePorts } from "./stores.ts";

/** The environment counts more than what was selected. */
export async function chosenWorkspace(directory: string): Promise<WorkspaceSelection> {
  const given = process.env.VMFORM_WORKSPACE;
  if (given !== undefined && given !== "") return { name: given, by: "environment" };
  const text = await readFile(fileIn(directory), "utf8").catch((error: unknown) => {
    if (isSystemError(error) && (error.code === "ENOENT" || error.code === "ENOTDIR")) return "";
    throw fileProblem("read", fileIn(directory), error);
  });
  const name = text.trim();
  return name === ""
    ? { name: defaultWorkspace, by: "default" }
    : { name, by: name === defaultWorkspace ? "default" : "file" };
}

export async function chooseWorkspace(directory: string, name: string): Promise<void> {
  const bytes = new TextEncoder().encode(`${name}\n`);
  try {
    await mkdir(join(directory, ".vmform"), { recursive: true });
    await writeFile(nodeFileSystem, fileIn(directory), "w", bytes);
  } catch (error) {
    throw fileProblem("write", fileIn(directory), error);
  }
}

function fileIn(directory: string): string {
  return join(directory, ".vmform", "workspace");
}

/** `written` are the settings of the default workspace. */
export async function openWorkspaces(
  written: StoreSettings,
  ports: StorePorts,
): Promise<StoredWorkspaces> {
  switch (written.kind) {
    case "local": {
      const path = realPathOf(written.path);
      return {
        names: () => workspacesBeside(path),
        remove: (name) => removeBeside(path, name),
        close: () => Promise.resolve(),
      };
    }
    case "postgres": {
      const { openPostgresStates } = await import("./postgres-store.ts");
      const states = openPostgresStates(written, ports);
      return {
        names: async () => workspacesNamed(written.name, await states.names()),
        remove: (name) => states.remove(stateNameIn(written.name, name)),
        close: () => states.close(),
      };
    }
    case "s3":
    case "http":
      return {
        names: () => Promise.resolve(undefined),
        remove: undefined,
        close: () => Promise.resolve(),
      };
  }
}
