/**
 * Finding the one object that a name or an href means. Names are not unique, so several are an
 * error that lists them all, never the first; none is one that says among how many.
 */

import { attributeOf } from "../../../lib/xml/xml.ts";
import type { RemoteError } from "../../../model/operation/remote-error.ts";
import { refusal } from "../../kit/refusal.ts";
import type { CloudClient, QueryRecord, QueryTerm } from "../client/client.ts";
import { apiPathOf } from "../client/href.ts";

/** A kind of objects that can be looked for. */
export type LookupKind = {
  /** For people: `VM`. */
  readonly noun: string;
  /** Query type. */
  readonly type: string;
  /** Field of the records by attribute of the lookup, `vapp_name` to `containerName`. */
  readonly fields: { readonly [attribute: string]: string };
  /** Path of what a person wrote as href, or undefined when it can be none. */
  readonly pathOf: (written: string) => string | undefined;
};

/** What is looked for, by attribute. */
type Lookup = { readonly [attribute: string]: string | undefined };

/** Where the client of a session is. */
export type WithClient = { readonly client: CloudClient };

/** Objects of almost the same name that are named in an error. */
const similarMax = 3;

/**
 * The one record that fulfils the lookup. Throws `RemoteError`: of kind invalid for a lookup that
 * names nothing, not-found for none, conflict for several.
 */
export async function lookUp(
  client: CloudClient,
  kind: LookupKind,
  lookup: Lookup,
): Promise<QueryRecord> {
  const written = lookup.href;
  const path = written === undefined ? undefined : kind.pathOf(written);
  if (written !== undefined && path === undefined) {
    throw refusal("invalid", `${JSON.stringify(written)} is no link to a ${kind.noun}`);
  }
  if (path === undefined && lookup.name === undefined) {
    throw refusal("invalid", `which ${kind.noun}? Set name or href`);
  }
  const terms = termsOf(kind, lookup);
  const isNameless = path !== undefined && lookup.name === undefined;
  if (isNameless && !client.isListed(kind.type)) {
    terms.push({ attribute: "name", equals: await nameAt(client, kind, path) });
  }
  const named = await client.query({ type: kind.type, filter: terms });
  const found = named.filter(
    (record) => isThere(record) && (path === undefined || record.href === path),
  );
  const [first, ...others] = found;
  const wanted = describe(kind, lookup, path);
  if (first === undefined) throw await notFound(client, kind, { wanted, lookup, path });
  if (others.length > 0) {
    const hrefs = found.map(({ key }) => key).join(", ");
    const message = `${found.length} objects are a ${wanted}: ${hrefs}; set href to one of them`;
    throw refusal("conflict", message);
  }
  return first;
}

/** Lists may still hold what was deleted (wire facts A.2.5). */
function isThere({ attributes }: QueryRecord): boolean {
  return attributes.isDeleted?.toLowerCase() !== "true";
}

/** Conditions of a lookup without its href. */
function termsOf(kind: LookupKind, lookup: Lookup): QueryTerm[] {
  return Object.entries(kind.fields).flatMap(([attribute, field]) => {
    const value = lookup[attribute];
    return value === undefined ? [] : [{ attribute: field, equals: value }];
  });
}

/** Hrefs cannot be filtered by: the server compares them with the host that it prints. */
async function nameAt(client: CloudClient, kind: LookupKind, path: string): Promise<string> {
  const { root } = await client.get(path);
  const name = attributeOf(root, "name");
  if (name !== undefined && name !== "") return name;
  throw refusal("protocol", `the ${kind.noun} at ${path} has no name`);
}

type Missed = {
  readonly wanted: string;
  readonly lookup: Lookup;
  readonly path: string | undefined;
};

async function notFound(
  client: CloudClient,
  kind: LookupKind,
  missed: Missed,
): Promise<RemoteError> {
  const listed = await client.query({ type: kind.type });
  const all = listed.filter((record) => isThere(record));
  const name = missed.lookup.name?.toLowerCase();
  const similar = all
    .filter(
      ({ attributes }) => attributes.name?.toLowerCase() === name && missed.path === undefined,
    )
    .slice(0, similarMax)
    .map((record) => placeOf(kind, record));
  const noun = all.length === 1 ? kind.noun : `${kind.noun}s`;
  const hint = similar.length === 0 ? "" : `; there is ${similar.join(", ")}`;
  const message = `no ${missed.wanted} among the ${all.length} ${noun} that this user sees${hint}`;
  return refusal("not-found", message);
}

/** `VM with name "web" and vapp_name "shop"`. */
function describe(kind: LookupKind, lookup: Lookup, path: string | undefined): string {
  const parts = Object.keys(kind.fields).flatMap((attribute) => {
    const value = lookup[attribute];
    return value === undefined ? [] : [`${attribute} ${JSON.stringify(value)}`];
  });
  if (path !== undefined) parts.push(`href ${path}`);
  return `${kind.noun} with ${parts.join(" and ")}`;
}

function placeOf(kind: LookupKind, record: QueryRecord): string {
  return Object.entries(kind.fields)
    .flatMap(([attribute, field]) => {
      const value = record.attributes[field];
      return value === undefined ? [] : [`${attribute} ${JSON.stringify(value)}`];
    })
    .join(" and ");
}

/** Path of a link to an object below this folder of the API, such as `/api/vApp/vapp-`. */
export function pathBelow(start: string): LookupKind["pathOf"] {
  return (written) => {
    const path = apiPathOf(written.trim());
    return path?.startsWith(start) === true && !path.includes("?") ? path : undefined;
  };
}
