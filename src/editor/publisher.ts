/** Problems are told shortly after something has changed, of all folders with an open document. */

import { dirname } from "node:path";
import { DiagnosticSeverity, type Diagnostic as Shown } from "vscode-languageserver/node";
import type { CommandEnvironment } from "../commands/environment.ts";
import type { Diagnostic } from "../model/said/diagnostic.ts";
import { type Checked, checkFolder, foldersAbove } from "./checked.ts";
import { isTooLong } from "./declared-names.ts";

export type PublisherPorts = {
  readonly current: () => CommandEnvironment;
  readonly workspaces: () => readonly string[];
  /** Paths of open documents. */
  readonly open: () => readonly string[];
  readonly textOf: (path: string) => string | undefined;
  readonly publish: (path: string, diagnostics: readonly Shown[]) => void;
  readonly failed: (message: string) => void;
};

export type Publisher = { readonly soon: () => void; readonly stop: () => void };

/** After the last key, so that not each of them is checked. */
const pauseMs = 150;

export function createPublisher(ports: PublisherPorts): Publisher {
  let timer: NodeJS.Timeout | undefined;
  let running = false;
  let again = false;
  let stopped = false;
  let told = new Set<string>();
  const check = async (): Promise<void> => {
    if (running) {
      again = true;
      return;
    }
    running = true;
    try {
      told = await publishAll(ports, told);
    } catch (error) {
      ports.failed(error instanceof Error ? error.message : String(error));
    } finally {
      running = false;
    }
    if (again) soon();
    again = false;
  };
  const soon = (): void => {
    if (stopped) return;
    clearTimeout(timer);
    timer = setTimeout(() => void check(), pauseMs);
  };
  return {
    soon,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

async function publishAll(ports: PublisherPorts, told: ReadonlySet<string>): Promise<Set<string>> {
  const environment = ports.current();
  const checks = new Map<string, Promise<Checked>>();
  const checkOnce = (folder: string): Promise<Checked> => {
    const known = checks.get(folder) ?? checkFolder(environment, folder);
    checks.set(folder, known);
    return known;
  };
  const found = new Map<string, readonly Diagnostic[]>();
  for (const path of ports.open()) {
    const own = dirname(path);
    const all: Checked[] = [];
    for (const folder of foldersAbove(path, ports.workspaces())) {
      all.push(await checkOnce(folder));
    }
    // A module is judged as it is called; alone only where nothing calls it.
    const calling = all.slice(1).filter(({ folders }) => folders.has(own));
    for (const { problems } of calling.length > 0 ? calling : all.slice(0, 1)) {
      for (const [file, diagnostics] of problems) {
        found.set(file, unique([...(found.get(file) ?? []), ...diagnostics]));
      }
    }
  }
  const contents = async (path: string): Promise<string> =>
    ports.textOf(path) ?? new TextDecoder().decode(await environment.readFile(path));
  for (const [path, diagnostics] of found) {
    const text = diagnostics.length === 0 ? "" : await contents(path).catch(() => "");
    const isLong = isTooLong(ports.textOf(path) ?? "");
    ports.publish(path, isLong ? [tooLong] : shownIn(text, diagnostics));
  }
  for (const path of told) if (!found.has(path)) ports.publish(path, []);
  return new Set(found.keys());
}

const tooLong: Shown = {
  range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } },
  severity: DiagnosticSeverity.Information,
  source: "vmform",
  message: "The file is too long to be checked while it is edited. Check it with: vmform validate",
};

function unique(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const seen = new Map(
    diagnostics.map((one) => [JSON.stringify([one.code, one.detail, one.source]), one]),
  );
  return [...seen.values()];
}

function shownIn(text: string, diagnostics: readonly Diagnostic[]): readonly Shown[] {
  const lines = text.split(/\r\n|\n/);
  return diagnostics.map((diagnostic) => shown(lines, diagnostic));
}

function shown(lines: readonly string[], diagnostic: Diagnostic): Shown {
  const { severity, code, summary, detail, fix, source } = diagnostic;
  const line = Math.max(0, (source?.line ?? 1) - 1);
  const text = lines[line] ?? "";
  const start = unitsOf(text, (source?.column ?? 1) - 1);
  const word = /^[\w.]+/.exec(text.slice(start))?.[0].length ?? 1;
  const end =
    source?.length === undefined ? start + word : start + unitsOf(text.slice(start), source.length);
  return {
    range: { start: { line, character: start }, end: { line, character: Math.max(end, start) } },
    severity: severity === "error" ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
    code,
    source: "vmform",
    message: [`${summary}: ${detail}`, ...(fix === undefined ? [] : [fix])].join("\n"),
  };
}

/** Code units of so many characters, as the protocol counts columns. */
function unitsOf(text: string, characters: number): number {
  return Array.from(text).slice(0, characters).join("").length;
}
