/** Where a module comes from, as its `source` says. */

import { isAbsolute } from "node:path";

export type ModuleSource =
  | { readonly kind: "local"; readonly path: string }
  | {
      readonly kind: "git" | "archive" | "npm";
      /** The source without its folder: what is fetched, and locked. */
      readonly origin: string;
      /** Folder inside of what is fetched. */
      readonly folder: string;
    };

export type FetchedSource = Exclude<ModuleSource, { readonly kind: "local" }>;

export type ParsedSource =
  | { readonly ok: true; readonly source: ModuleSource }
  | { readonly ok: false; readonly detail: string; readonly fix: string };

const forms =
  "Write ./FOLDER, git::URL?ref=COMMIT, npm:PACKAGE@VERSION, or an https:// or file: URL of a " +
  ".tar.gz or .zip; //FOLDER behind it names a folder inside.";

/** A local path begins with `./`, `../` or `/`; what is fetched is pinned. */
export function parseSource(text: string): ParsedSource {
  if (/^\.\.?(?:\/|$)/.test(text) || isAbsolute(text)) {
    return { ok: true, source: { kind: "local", path: text } };
  }
  if (/:\/\/[^/@\s]*:[^/@\s]*@/.test(text)) {
    const detail = "A source holds a password, which would be written down in the lock.";
    return { ok: false, detail, fix: "Leave the login to git or npm, or to a proxy." };
  }
  if (text.startsWith("git::")) return parseGit(text);
  if (text.startsWith("npm:")) return parseNpm(text);
  if (/^(?:https?|file):/.test(text)) return parseArchive(text);
  const isPath = /^[\w.-]+(?:\/[\w.-]+)*\/?$/.test(text);
  const detail = `The source ${JSON.stringify(text)} is none that is known.`;
  return { ok: false, detail, fix: isPath ? `Write ./${text} for a folder.` : forms };
}

/** `git::https://host/repository.git//folder?ref=COMMIT` */
function parseGit(text: string): ParsedSource {
  const [, address = "", folder = "", ref = ""] =
    /^git::([a-z+]+:\/\/[^?]+?)(?:\/\/([^?]*))?(?:\?ref=(.*))?$/.exec(text) ?? [];
  if (address === "") {
    const [, at = "", path = ""] = /^git::([\w.-]+@[\w.-]+):(.*)$/.exec(text) ?? [];
    const fix = at === "" ? forms : `Write git::ssh://${at}/${path.replace(/^\//, "")}`;
    return { ok: false, detail: `${JSON.stringify(text)} names no repository.`, fix };
  }
  if (!/^[0-9a-f]{40}$/.test(ref)) {
    return {
      ok: false,
      detail: "A repository is named with a whole commit, since a branch or a tag can move.",
      fix: `Write ?ref= and the 40 digits of the commit: git ls-remote ${address}`,
    };
  }
  return fetched("git", `git::${address}?ref=${ref}`, folder);
}

/** `npm:package@1.2.3//folder`, also of a scope: `npm:@org/package@1.2.3`. */
function parseNpm(text: string): ParsedSource {
  const [, name = "", version = "", folder = ""] =
    /^npm:((?:@[\w.-]+\/)?[\w.-]+)(?:@([^/]*))?(?:\/\/(.*))?$/.exec(text) ?? [];
  if (name === "") {
    return { ok: false, detail: `${JSON.stringify(text)} names no package.`, fix: forms };
  }
  if (!/^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/.test(version)) {
    return {
      ok: false,
      detail: "A package is named with its exact version, since a range can mean another one.",
      fix: `Write a version such as npm:${name}@1.2.3: npm view ${name} version`,
    };
  }
  return fetched("npm", `npm:${name}@${version}`, folder);
}

/** `https://host/module.tar.gz//folder` */
function parseArchive(text: string): ParsedSource {
  const [, address = "", folder = ""] =
    /^([a-z]+:(?:\/\/)?[^?]*?\.(?:tar\.gz|tgz|zip)(?:\?[^/]*)?)(?:\/\/(.*))?$/.exec(text) ?? [];
  if (address === "") {
    const detail = "An archive is a .tar.gz, .tgz or .zip.";
    return { ok: false, detail, fix: forms };
  }
  return fetched("archive", address, folder);
}

/** Of an archive, whose name says what it is. */
export function isZip(origin: string): boolean {
  return /\.zip(?:\?|$)/.test(origin);
}

function fetched(kind: FetchedSource["kind"], origin: string, folder: string): ParsedSource {
  if (folder.split("/").includes("..")) {
    const detail = "The folder inside leads out of what is fetched.";
    return { ok: false, detail, fix: "Name a folder inside, without ..." };
  }
  return { ok: true, source: { kind, origin, folder } };
}
