/** What an editor asks of a place in a document, answered. Throws nothing of its own. */

import { dirname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  type CompletionItem,
  CompletionItemKind,
  type Hover,
  type InitializeParams,
  type Location,
  MarkupKind,
  type Position,
} from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { CommandEnvironment } from "../commands/environment.ts";
import { isConfigurationFile, isPolicyFile } from "../commands/reading.ts";
import { type Chain, chainAt, chainBefore, enclosingKeys } from "./chain.ts";
import { type Suggestion, suggestionsFor } from "./completion.ts";
import { isTooLong } from "./declared-names.ts";
import { openFolder } from "./folder-model.ts";
import { hoverText } from "./hover.ts";
import { meaningOf } from "./meaning.ts";
import { definitionOf } from "./places.ts";

/** A document, where it is one of ours, and the place in it that is asked about. */
export type Asked = {
  readonly environment: CommandEnvironment;
  readonly document: TextDocument | undefined;
  readonly position: Position;
};

export async function completionAt(asked: Asked): Promise<CompletionItem[]> {
  const place = placeIn(asked);
  if (place === undefined) return [];
  const chain = chainBefore(place.line, place.character);
  const model = await openFolder(asked.environment, dirname(place.path));
  return suggestionsFor(chain, place.enclosing, model).map((suggestion) =>
    completionItem(suggestion, chain, asked.position),
  );
}

export async function definitionAt(asked: Asked): Promise<Location | null> {
  const place = placeIn(asked);
  const chain = place && chainAt(place.line, place.character);
  if (place === undefined || chain === undefined) return null;
  const model = await openFolder(asked.environment, dirname(place.path));
  const found = definitionOf(chain, place.enclosing, model);
  if (found === undefined) return null;
  const { path, text, start, end } = found;
  const target = TextDocument.create(uriOf(path), "yaml", 0, text);
  const range = { start: target.positionAt(start), end: target.positionAt(end) };
  return { uri: target.uri, range };
}

export async function hoverAt(asked: Asked): Promise<Hover | null> {
  const place = placeIn(asked);
  const chain = place && chainAt(place.line, place.character);
  if (place === undefined || chain === undefined) return null;
  const model = await openFolder(asked.environment, dirname(place.path));
  const meaning = meaningOf(chain, model);
  if (meaning === undefined) return null;
  return { contents: { kind: MarkupKind.Markdown, value: await hoverText(meaning, model) } };
}

type Place = {
  readonly path: string;
  readonly line: string;
  readonly character: number;
  readonly enclosing: readonly string[];
};

function placeIn({ document, position }: Asked): Place | undefined {
  const path = document && pathOf(document.uri);
  if (document === undefined || path === undefined) return undefined;
  const { line, character } = position;
  if (line >= document.lineCount) return undefined;
  const lineAt = (at: number): string =>
    document
      .getText({ start: { line: at, character: 0 }, end: { line: at + 1, character: 0 } })
      .replace(/\r?\n$/, "");
  if (isTooLong(document.getText())) return undefined;
  return { path, line: lineAt(line), character, enclosing: enclosingKeys(lineAt, line) };
}

/** Of documents that are files of a configuration; others are none of ours. */
export function pathOf(uri: string): string | undefined {
  if (!uri.startsWith("file:")) return undefined;
  try {
    const path = resolve(fileURLToPath(uri));
    return isConfigurationFile(path) || isPolicyFile(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

export function uriOf(path: string): string {
  return pathToFileURL(path).href;
}

export function workspacesOf({ workspaceFolders }: InitializeParams): readonly string[] {
  return (workspaceFolders ?? []).flatMap(({ uri }) => {
    try {
      return uri.startsWith("file:") ? [resolve(fileURLToPath(uri))] : [];
    } catch {
      return [];
    }
  });
}

const kinds: { readonly [kind in Suggestion["kind"]]: CompletionItemKind } = {
  root: CompletionItemKind.Module,
  value: CompletionItemKind.Variable,
  type: CompletionItemKind.Class,
  resource: CompletionItemKind.Value,
  attribute: CompletionItemKind.Property,
  key: CompletionItemKind.Constant,
};

/** Replaces what was typed of the last step. */
function completionItem(
  { label, kind, detail, insert }: Suggestion,
  { steps }: Chain,
  position: Position,
): CompletionItem {
  const last = steps.at(-1);
  // Of an address, names of the last step alone; of a key, with the quote before it.
  const typed = last === undefined ? 0 : position.character - last.start;
  const from = Math.max(0, position.character - typed);
  const start = { line: position.line, character: from };
  return {
    label,
    kind: kinds[kind],
    ...(detail === undefined || detail === "" ? {} : { documentation: detail }),
    textEdit: { range: { start, end: position }, newText: insert ?? label },
  };
}
