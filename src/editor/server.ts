/**
 * `vmform lsp`: what a schema cannot tell an editor. Reads files and recorded state; never speaks
 * to an endpoint, never takes a lock, writes nothing. Files by question: `documents.ts` (what
 * counts, saved or not?), `declared-names.ts` and `folder-model.ts` (what is there?),
 * `chain.ts` (what stands at a place?), `meaning.ts` (what does it mean?), `completion.ts`,
 * `hover.ts`, `places.ts` (where is it?), `answers.ts` (these together),
 * `checked.ts` and `publisher.ts` (what is wrong?).
 */

import { createConnection } from "vscode-languageserver";
import {
  createProtocolConnection,
  type Position,
  ProposedFeatures,
  StreamMessageReader,
  StreamMessageWriter,
  TextDocumentSyncKind,
  TextDocuments,
} from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { CommandEnvironment } from "../commands/environment.ts";
import {
  type Asked,
  completionAt,
  definitionAt,
  hoverAt,
  pathOf,
  uriOf,
  workspacesOf,
} from "./answers.ts";
import { withOpenTexts } from "./documents.ts";
import { createPublisher } from "./publisher.ts";

export type EditorStreams = {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
};

/** Serves one editor until it ends the conversation; gives whether it did so in order. */
export function serveEditor(
  environment: CommandEnvironment,
  streams: EditorStreams,
): Promise<boolean> {
  return new Promise((settle) => {
    const watchDog = {
      shutdownReceived: false,
      initialize: () => {},
      exit: (code: number) => settle(code === 0),
    };
    for (const end of ["end", "close"]) {
      streams.input.on(end, () => settle(watchDog.shutdownReceived));
    }
    const connection = connectionOn(streams, watchDog);
    converse(environment, connection, () => {
      watchDog.shutdownReceived = true;
    });
    connection.listen();
  });
}

function connectionOn(
  { input, output }: EditorStreams,
  watchDog: Parameters<typeof createConnection>[1],
): ProposedFeatures.Connection {
  return createConnection(
    (logger) =>
      createProtocolConnection(
        new StreamMessageReader(input),
        new StreamMessageWriter(output),
        logger,
      ),
    watchDog,
    ProposedFeatures.all,
  );
}

type At = { readonly textDocument: { readonly uri: string }; readonly position: Position };

function converse(
  environment: CommandEnvironment,
  connection: ProposedFeatures.Connection,
  shutDown: () => void,
): void {
  const documents = new TextDocuments(TextDocument);
  let workspaces: readonly string[] = [];
  const current = (): CommandEnvironment => {
    const texts = documents.all().flatMap((document): readonly [string, string][] => {
      const path = pathOf(document.uri);
      return path === undefined ? [] : [[path, document.getText()]];
    });
    return withOpenTexts(environment, new Map(texts));
  };
  const publisher = createPublisher({
    current,
    workspaces: () => workspaces,
    open: () => documents.all().flatMap(({ uri }) => pathOf(uri) ?? []),
    textOf: (path) => documents.get(uriOf(path))?.getText(),
    publish: (path, diagnostics) =>
      void connection.sendDiagnostics({ uri: uriOf(path), diagnostics: [...diagnostics] }),
    failed: (message) => connection.console.error(message),
  });
  /** Nothing that fails here ends the conversation. */
  const answering =
    <T>(answer: (asked: Asked) => Promise<T>, otherwise: T) =>
    async ({ textDocument, position }: At): Promise<T> => {
      const document = documents.get(textDocument.uri);
      try {
        return await answer({ environment: current(), document, position });
      } catch (error) {
        connection.console.error(error instanceof Error ? error.message : String(error));
        return otherwise;
      }
    };
  connection.onInitialize((params) => {
    workspaces = workspacesOf(params);
    return {
      capabilities: {
        textDocumentSync: TextDocumentSyncKind.Incremental,
        completionProvider: { triggerCharacters: [".", "{", "[", '"'] },
        definitionProvider: true,
        hoverProvider: true,
      },
      serverInfo: { name: "vmform", version: environment.version },
    };
  });
  connection.onCompletion(answering(completionAt, []));
  connection.onDefinition(answering(definitionAt, null));
  connection.onHover(answering(hoverAt, null));
  documents.onDidChangeContent(() => publisher.soon());
  documents.onDidClose(() => publisher.soon());
  connection.onDidChangeWatchedFiles(() => publisher.soon());
  connection.onShutdown(() => {
    shutDown();
    publisher.stop();
  });
  documents.listen(connection);
}
