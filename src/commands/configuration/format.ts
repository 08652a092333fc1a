/** `vmform fmt`: configuration files in regular layout. Only white space changes. */

import { join } from "node:path";
import { parseFile } from "../../config/read/document.ts";
import { createReport } from "../../config/report.ts";
import { layOutYaml } from "../../lib/yaml/yaml-layout.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import { nowhere } from "../../model/said/problem.ts";
import { problem } from "../codes.ts";
import type { CommandFiles } from "../environment.ts";
import { isConfigurationFile, isPolicyFile, isTestFile } from "../reading.ts";
import { testsBelow } from "../testing/find.ts";

export type FormatOptions = {
  readonly directory: string;
  /** Paths; without any, all configuration files of the folder. */
  readonly files: readonly string[];
  /** Write nothing. */
  readonly check: boolean;
};

export type Formatted = {
  /** Files whose layout was not regular, in order. */
  readonly changed: readonly string[];
  /** Files that were left as they are, since they cannot be read. */
  readonly diagnostics: readonly Diagnostic[];
  readonly looked: number;
};

type FormatFiles = Pick<CommandFiles, "listFolder" | "readFile" | "lookAtFile" | "rewriteFile">;

export async function formatCommand(
  environment: FormatFiles,
  options: FormatOptions,
): Promise<Formatted> {
  const files = options.files.length > 0 ? options.files : await folderFiles(environment, options);
  const report = createReport();
  const changed: string[] = [];
  for (const name of files) {
    const bytes = await environment.readFile(name);
    const { complete, source } = parseFile({ name, bytes }, report);
    if (!complete) continue;
    const { text } = source.index;
    const laid = layOutYaml(text);
    if (laid === undefined) {
      report.pass(notLaidOut(name));
      continue;
    }
    if (laid === text) continue;
    changed.push(name);
    if (!options.check) await environment.rewriteFile(name, laid);
  }
  return { changed, diagnostics: report.diagnostics(), looked: files.length };
}

async function folderFiles(
  environment: FormatFiles,
  { directory }: FormatOptions,
): Promise<readonly string[]> {
  const names = await environment.listFolder(directory);
  const isLaidOut = (name: string): boolean =>
    isConfigurationFile(name) || isPolicyFile(name) || isTestFile(name);
  const own = names.filter(isLaidOut).toSorted();
  const tests = (await testsBelow(environment, directory)).map(({ name }) => name);
  return [...own.map((name) => (directory === "." ? name : join(directory, name))), ...tests];
}

/** Nobody has seen such a file; if there is one, it is better left alone. */
function notLaidOut(name: string): Diagnostic {
  return problem(nowhere, "FMT001", {
    detail: `${name} would not say the same afterwards, so it was left as it is.`,
    fix: "Please report the file.",
  });
}
