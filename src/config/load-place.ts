/**
 * A place for recorded state as it is named on the command line: what `vmform.state` would hold
 * between braces, the configuration that holds it, or a short form. Pure.
 */

import { decodeText } from "../lib/text.ts";
import { memberNode, parseYaml } from "../lib/yaml/yaml.ts";
import { yamlText } from "../lib/yaml/yaml-text.ts";
import type { WithDiagnostics } from "../model/said/diagnostic.ts";
import { loadSettings } from "./load-settings.ts";
import type { FileBytes } from "./read/document.ts";
import type { Settings, SettingsContext } from "./settings/settings.ts";

/** Whether the words are the path of a configuration, which is to be read. */
export function isPlaceFile(words: string): boolean {
  return /\.ya?ml$/i.test(words) && !words.startsWith("{");
}

export type LoadedPlace = {
  readonly settings: Settings;
  /** What a configuration says that names it; undefined where it is one. */
  readonly written: string | undefined;
};

/** Relative paths begin at the configuration, as they do there. */
export function loadPlace(
  words: string,
  file: FileBytes | undefined,
  context: SettingsContext,
): WithDiagnostics<LoadedPlace | undefined> {
  const written = file === undefined ? blockOf(words.trim()) : undefined;
  const bytes = new TextEncoder().encode(written ?? "");
  const source = file ?? { name: "the place that is named", bytes };
  if (!namesPlace(source.bytes)) return { value: undefined, diagnostics: [] };
  const { settings, diagnostics } = loadSettings([source], context);
  return { value: { settings, written }, diagnostics };
}

function namesPlace(bytes: Uint8Array): boolean {
  const { text = "" } = decodeText(bytes);
  return parseYaml(text).documents.some(
    (document) => memberNode(memberNode(document, "vmform"), "state")?.kind === "map",
  );
}

function blockOf(words: string): string {
  if (words.startsWith("{")) return `vmform:\n  state: ${words}\n`;
  return yamlText({ vmform: { state: shortForm(words) } });
}

function shortForm(words: string) {
  const bucket = /^s3:\/\/([^/]+)\/(.+)$/.exec(words);
  if (bucket !== null) return { s3: { bucket: bucket[1] ?? "", key: bucket[2] ?? "" } };
  if (/^postgres(ql)?:/i.test(words)) {
    const [url = "", name] = words.split("#", 2);
    return { postgres: { url, ...(name === undefined ? {} : { name }) } };
  }
  if (/^https?:/i.test(words)) return { http: { address: words } };
  // What looks like an address is none of a file.
  if (/^[a-z][\w+.-]*:\/\//i.test(words)) return null;
  return { local: { path: words } };
}
