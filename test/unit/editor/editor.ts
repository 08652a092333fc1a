/** An editor that speaks to `vmform lsp` by JSON-RPC, over the pipes of a process of its own. */

import { spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-jsonrpc/node";

export type Problem = {
  readonly code?: string;
  readonly message: string;
  readonly range: { readonly start: Position; readonly end: Position };
};
export type Position = { readonly line: number; readonly character: number };
type Item = {
  readonly label: string;
  readonly textEdit?: { readonly newText: string; readonly range: Problem["range"] };
};

export type Editor = {
  /** Opens a file with this text, or changes it to it; `|` marks the cursor and is left out. */
  readonly type: (name: string, text: string) => void;
  readonly close: (name: string) => void;
  /** The next problems that are told of a file and meet what is looked for. */
  readonly problems: (
    name: string,
    meets?: (all: readonly Problem[]) => boolean,
  ) => Promise<readonly Problem[]>;
  /** At the cursor. */
  readonly complete: () => Promise<readonly Item[]>;
  readonly hover: () => Promise<string | undefined>;
  readonly definition: () => Promise<
    { readonly uri: string; readonly range: Problem["range"] } | undefined
  >;
  /** Ends the conversation in order, and gives the exit code. */
  readonly end: () => Promise<number | null>;
  readonly kill: () => void;
  readonly stderr: () => string;
};

export async function openEditor(
  command: readonly string[],
  folder: string,
  workspace = folder,
): Promise<Editor> {
  const [program = "", ...words] = command;
  const child = spawn(program, words, { cwd: folder, stdio: ["pipe", "pipe", "pipe"] });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const exited = new Promise<number | null>((settle) => child.on("exit", settle));
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  const told = new Map<string, readonly Problem[]>();
  const waiting = new Set<() => void>();
  connection.onNotification(
    "textDocument/publishDiagnostics",
    ({ uri, diagnostics }: { uri: string; diagnostics: readonly Problem[] }) => {
      told.set(uri, diagnostics);
      for (const look of waiting) look();
    },
  );
  connection.listen();
  await connection.sendRequest("initialize", {
    processId: process.pid,
    rootUri: pathToFileURL(workspace).href,
    capabilities: { textDocument: { hover: { contentFormat: ["markdown"] } } },
    workspaceFolders: [{ uri: pathToFileURL(workspace).href, name: "work" }],
  });
  await connection.sendNotification("initialized", {});
  const uriOf = (name: string): string => pathToFileURL(join(folder, name)).href;
  const open = new Map<string, number>();
  let cursor = { textDocument: { uri: "" }, position: { line: 0, character: 0 } };
  const ask = async <T>(method: string): Promise<T> => connection.sendRequest(method, cursor);
  return {
    type: (name, marked) => {
      const uri = uriOf(name);
      const at = marked.indexOf("|");
      const text = at === -1 ? marked : marked.slice(0, at) + marked.slice(at + 1);
      if (at !== -1) {
        const before = marked.slice(0, at).split("\n");
        const position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
        cursor = { textDocument: { uri }, position };
      }
      told.delete(uri);
      const version = (open.get(uri) ?? 0) + 1;
      open.set(uri, version);
      const note =
        version === 1
          ? connection.sendNotification("textDocument/didOpen", {
              textDocument: { uri, languageId: "yaml", version, text },
            })
          : connection.sendNotification("textDocument/didChange", {
              textDocument: { uri, version },
              contentChanges: [{ text }],
            });
      note.catch(() => {});
    },
    close: (name) => {
      open.delete(uriOf(name));
      const textDocument = { uri: uriOf(name) };
      connection.sendNotification("textDocument/didClose", { textDocument }).catch(() => {});
    },
    problems: (name, meets = () => true) =>
      new Promise((settle) => {
        const look = (): void => {
          const found = told.get(uriOf(name));
          if (found === undefined || !meets(found)) return;
          waiting.delete(look);
          settle(found);
        };
        waiting.add(look);
        look();
      }),
    complete: async () => {
      const found = await ask<readonly Item[] | { items: readonly Item[] } | null>(
        "textDocument/completion",
      );
      return found === null ? [] : "items" in found ? found.items : found;
    },
    hover: async () => {
      const found = await ask<{ contents: { value: string } } | null>("textDocument/hover");
      return found?.contents.value;
    },
    definition: async () =>
      (await ask<{ uri: string; range: Problem["range"] } | null>("textDocument/definition")) ??
      undefined,
    end: async () => {
      await connection.sendRequest("shutdown");
      await connection.sendNotification("exit");
      return exited;
    },
    kill: () => void child.kill("SIGKILL"),
    stderr: () => said,
  };
}
