/** References to secrets: what is written and recorded in the place of a secret. */

import { isUnknown, type PlannedValue, type Value } from "./value.ts";

export type SecretReference =
  /** An environment variable of whoever runs vmform. */
  | { readonly kind: "env"; readonly name: string }
  /** A file; one line end at its end does not count. */
  | { readonly kind: "file"; readonly path: string }
  /** What a program writes to its standard output: its path or name, and its arguments. */
  | { readonly kind: "command"; readonly words: readonly string[] }
  /** A field of the newest version of an entry of a KV store, version 2, of Vault or OpenBao. */
  | {
      readonly kind: "vault";
      /** Where the store is mounted: the first part of `path`, unless it is given. */
      readonly mount: string;
      readonly path: string;
      readonly field: string;
    };

/** For messages. */
export const secretForms =
  "{ env: NAME }, { file: PATH }, { command: [PROGRAM, …] } or " +
  "{ vault: { path: PATH, field: FIELD } }";

/** Undefined of what is no reference to a secret, or one that lacks something. */
export function secretReferenceOf(value: PlannedValue): SecretReference | undefined {
  const [entry, ...others] = membersOf(value);
  if (entry === undefined || others.length > 0) return undefined;
  const [form, told] = entry;
  switch (form) {
    case "env":
      return isText(told) ? { kind: "env", name: told } : undefined;
    case "file":
      return isText(told) ? { kind: "file", path: told } : undefined;
    case "command":
      return Array.isArray(told) && isText(told[0]) && told.every(isString)
        ? { kind: "command", words: told }
        : undefined;
    case "vault":
      return vaultReference(told);
    default:
      return undefined;
  }
}

/** The command references in a value, at any depth. */
export function commandsIn(value: PlannedValue): readonly (readonly string[])[] {
  const reference = secretReferenceOf(value);
  if (reference !== undefined) return reference.kind === "command" ? [reference.words] : [];
  if (Array.isArray(value)) return value.flatMap((item: PlannedValue) => commandsIn(item));
  return membersOf(value).flatMap(([, member]) => commandsIn(member));
}

function vaultReference(value: PlannedValue): SecretReference | undefined {
  const members = membersOf(value);
  const { path, field, mount, ...others } = Object.fromEntries(members);
  if (!isText(path) || !isText(field) || Object.keys(others).length > 0) return undefined;
  if (mount !== undefined && !isText(mount)) return undefined;
  const trimmed = path.replace(/^\/+|\/+$/g, "");
  if (mount !== undefined) {
    return { kind: "vault", mount: mount.replace(/^\/+|\/+$/g, ""), path: trimmed, field };
  }
  const [first = "", ...rest] = trimmed.split("/");
  return rest.length === 0
    ? undefined
    : { kind: "vault", mount: first, path: rest.join("/"), field };
}

function membersOf(value: PlannedValue): readonly (readonly [string, PlannedValue])[] {
  if (value === null || typeof value !== "object" || isUnknown(value)) return [];
  return Array.isArray(value) ? [] : Object.entries(value);
}

function isString(value: PlannedValue | undefined): value is string {
  return typeof value === "string";
}

function isText(value: PlannedValue | undefined): value is string {
  return isString(value) && value !== "";
}

/** Of plain values alone, for who has nothing planned. */
export function isSecretReference(value: Value): boolean {
  return secretReferenceOf(value) !== undefined;
}
