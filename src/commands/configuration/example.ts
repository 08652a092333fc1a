/** `vmform init --example`: a copy of a shipped example that works where it is written. */

import { closestName } from "../../lib/text.ts";
import { type CommandEnvironment, CommandError, type CommandFiles } from "../environment.ts";
import { type NewFile, writeNewFolder } from "./new-folder.ts";

export type Example = {
  readonly name: string;
  /** What it is about, in one sentence. */
  readonly about: string;
};

export type WrittenExample = {
  readonly name: string;
  /** Paths, in the order they were written. */
  readonly files: readonly string[];
  /** The comment at the head of its configuration: what it is, and what to run. */
  readonly head: readonly string[];
};

const main = "main.vmform.yaml";

/** All that are shipped, by name. */
export async function listExamples({
  examples,
}: Pick<CommandEnvironment, "examples">): Promise<readonly Example[]> {
  const names = await examples.names();
  return Promise.all(
    names.map(async (name) => {
      const files = await examples.files(name);
      return { name, about: firstSentence(headOf(files)) };
    }),
  );
}

/** Throws `CommandError` before anything is written; the configuration is written last. */
export async function writeExample(
  environment: Pick<CommandEnvironment, "examples"> &
    Pick<CommandFiles, "listFolder" | "createFile" | "makeFolder">,
  { directory, name }: { readonly directory: string; readonly name: string },
): Promise<WrittenExample> {
  const { examples } = environment;
  const names = await examples.names();
  if (!names.includes(name)) {
    const closest = closestName(name, names);
    throw new CommandError(
      `There is no example ${name}.`,
      closest === undefined ? `There are: ${names.join(", ")}.` : `Did you mean ${closest}?`,
      "usage",
    );
  }
  const copies = (await examples.files(name)).map(relocated);
  const ordered = [
    ...copies.filter(({ path }) => path !== main),
    ...copies.filter(({ path }) => path === main),
  ];
  const files = await writeNewFolder(environment, directory, ordered);
  return { name, files, head: headOf(copies) };
}

/**
 * In the package, examples name its schemas and one folder for all recorded state. A copy has
 * neither beside it: it records in its own folder, and its schema is the one that `vmform schema`
 * prints; the others cannot be had there.
 */
function relocated({ path, text }: NewFile): NewFile {
  const recorded = text.replace(/(\bpath: )\.\.\/\.\.\/(state\/)/, "$1./$2");
  const modeline =
    /^# yaml-language-server: \$schema=\.\.\/\.\.\/((?:\.\.\/)*)schemas\/(\w+)\..*\n/;
  const own = recorded.replace(modeline, (_line, up: string, schema: string) => {
    if (schema !== "vmform") return "";
    const told = path === main ? [schemaLine] : [];
    const named = `# yaml-language-server: $schema=${up === "" ? "./" : up}vmform.schema.json`;
    return [named, ...told, ""].join("\n");
  });
  return { path, text: own.replace(/^\n+/, "") };
}

/** What stands below the line that names the schema. */
export const schemaLine =
  "# That file completes and checks in editors: vmform schema > vmform.schema.json";

/** Lines of the first comment that is no modeline, without their signs. */
function headOf(files: readonly NewFile[]): readonly string[] {
  const text = files.find(({ path }) => path === main)?.text ?? "";
  const block = text
    .split(/\n\n+/)
    .find((part) => part.startsWith("#") && !part.startsWith("# yaml-language-server"));
  return (block ?? "").split("\n").map((line) => line.replace(/^# ?/, ""));
}

function firstSentence(lines: readonly string[]): string {
  const end = lines.indexOf("");
  const text = lines.slice(0, end < 0 ? undefined : end).join(" ");
  return /^.*?[.:](?= |$)/.exec(text)?.[0].replace(/:$/, ".") ?? text;
}
