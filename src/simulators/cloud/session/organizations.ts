/**
 * Organizations, their virtual datacenters, the administrators' root, and the resolver of ids: what
 * the links of a session and the references of records lead to (wire facts A.1.1, A.2.5).
 */

import type { XmlElement } from "../../../lib/xml/xml.ts";
import type { Answer } from "../../kit/answer.ts";
import { uuidOf } from "../../kit/uuid.ts";
import { isAtLeast } from "../../kit/version.ts";
import type { UserCall } from "../rest/call.ts";
import { checkUuid, findTarget, refuse, segmentOf, show } from "../rest/call.ts";
import type { Draft } from "../rest/document.ts";
import { adminType, elementOf, linkTo, mediaType } from "../rest/document.ts";
import {
  badRequest,
  isRefusal,
  noAccess,
  operationDenied,
  unknownAction,
} from "../rest/refusal.ts";
import type { CloudState } from "../world/cloud-state.ts";
import type { CloudUser } from "../world/inventory.ts";
import { isAdministrator, maySee } from "../world/inventory.ts";
import { orgIdOf } from "./sessions.ts";

/** Names of the organizations that a user sees. */
function orgsOf(state: CloudState, user: CloudUser): readonly string[] {
  if (!isAdministrator(user)) return [user.org];
  const all = [...state.users, ...state.vapps.values()].map(({ org }) => org);
  return [...new Set([user.org, ...all])];
}

/** Name of the organization with an id, if the caller sees it. */
export function findOrg({ state, user }: UserCall, id: string): string | undefined {
  return orgsOf(state, user).find((name) => orgIdOf(state, name) === id);
}

export function vdcIdOf(state: CloudState, org: string): string {
  return uuidOf(state.seed, "vdc", org);
}

export function vdcName(org: string): string {
  return `${org} vdc`;
}

export function listOrgs(call: UserCall): Answer {
  const { draft, state, user } = call;
  const orgs = orgsOf(state, user).map((name) =>
    elementOf(draft, "Org", {
      type: mediaType(draft, "org"),
      name,
      href: `${draft.base}/api/org/${orgIdOf(state, name)}`,
    }),
  );
  const attributes = { type: mediaType(draft, "orgList"), href: `${draft.base}/api/org/` };
  return show(call, "orgList", elementOf(draft, "OrgList", attributes, orgs));
}

/** An organization leads to its virtual datacenter and its tasks. */
export function getOrg(call: UserCall): Answer {
  return showOrg(call, "Org", "/api/org/", "org");
}

/** The same as administrators see it; a plain user may not. */
export function getAdminOrg(call: UserCall): Answer {
  if (call.user.role === "user") return refuse(call, operationDenied());
  return showOrg(call, "AdminOrg", "/api/admin/org/", { admin: "organization" });
}

function showOrg(
  call: UserCall,
  element: string,
  folder: string,
  typeName: string | { readonly admin: string },
): Answer {
  const { draft, state } = call;
  const id = segmentOf(call, 0);
  const name = findOrg(call, id);
  if (name === undefined) return refuse(call, noAccess(draft, "org", id));
  const attributes = {
    name,
    id: `${draft.dialect.urnPrefix}org:${id}`,
    type:
      typeof typeName === "string" ? mediaType(draft, typeName) : adminType(draft, typeName.admin),
    href: `${draft.base}${folder}${id}`,
  };
  const vdc = `/api/vdc/${vdcIdOf(state, name)}`;
  return show(
    call,
    typeName,
    elementOf(draft, element, attributes, [
      linkTo(draft, "down", vdc, mediaType(draft, "vdc"), vdcName(name)),
      linkTo(draft, "down", `/api/tasksList/${id}`, mediaType(draft, "tasksList")),
      elementOf(draft, "FullName", {}, [name]),
    ]),
  );
}

/** A virtual datacenter leads to its vApps and templates. */
export function getVdc(call: UserCall): Answer {
  const { draft, state, user } = call;
  const id = segmentOf(call, 0);
  const org = orgsOf(state, user).find((name) => vdcIdOf(state, name) === id);
  if (org === undefined) return refuse(call, noAccess(draft, "vdc", id));
  const entities = [...state.vapps.values()]
    .filter((vapp) => vapp.org === org && maySee(user, vapp))
    .map((vapp) =>
      elementOf(draft, "ResourceEntity", {
        type: mediaType(draft, vapp.template ? "vAppTemplate" : "vApp"),
        name: vapp.name,
        href: vapp.template
          ? `${draft.base}/api/vAppTemplate/vappTemplate-${vapp.id}`
          : `${draft.base}/api/vApp/vapp-${vapp.id}`,
      }),
    );
  const attributes = {
    status: 1,
    name: vdcName(org),
    id: `${draft.dialect.urnPrefix}vdc:${id}`,
    type: mediaType(draft, "vdc"),
    href: `${draft.base}/api/vdc/${id}`,
  };
  return show(
    call,
    "vdc",
    elementOf(draft, "Vdc", attributes, [
      linkTo(draft, "up", `/api/org/${orgIdOf(state, org)}`, mediaType(draft, "org")),
      elementOf(draft, "Description", {}),
      elementOf(draft, "AllocationModel", {}, ["AllocationVApp"]),
      elementOf(draft, "ComputeCapacity", {}, [
        capacityOf(draft, "Cpu", "MHz"),
        capacityOf(draft, "Memory", "MB"),
      ]),
      elementOf(draft, "ResourceEntities", {}, entities),
      elementOf(draft, "AvailableNetworks", {}),
      elementOf(draft, "IsEnabled", {}, ["true"]),
    ]),
  );
}

/** Nothing is limited or counted. */
function capacityOf(draft: Draft, local: string, units: string): XmlElement {
  const none = ["Allocated", "Limit", "Used", "Overhead"];
  return elementOf(draft, local, {}, [
    elementOf(draft, "Units", {}, [units]),
    ...none.map((each) => elementOf(draft, each, {}, ["0"])),
  ]);
}

/** Root of what administrators manage; a plain user may not see it. */
export function getAdminRoot(call: UserCall): Answer {
  const { draft, state, user } = call;
  if (user.role === "user") return refuse(call, operationDenied());
  const references = orgsOf(state, user).map((name) =>
    elementOf(draft, "OrganizationReference", {
      type: adminType(draft, "organization"),
      name,
      href: `${draft.base}/api/admin/org/${orgIdOf(state, name)}`,
    }),
  );
  const type = adminType(draft, draft.dialect.adminRoot);
  const attributes = { name: "Cloud", type, href: `${draft.base}/api/admin/` };
  const root = elementOf(draft, "VCloud", attributes, [
    isAdministrator(user)
      ? linkTo(draft, "down", "/api/admin/extension", adminType(draft, "vmwExtension"))
      : undefined,
    elementOf(draft, "OrganizationReferences", {}, references),
  ]);
  return show(call, { admin: draft.dialect.adminRoot }, root);
}

/** Nothing is extended here; from 5.1 on (wire facts A.1.1). */
export function getExtensibility(call: UserCall): Answer {
  const { draft } = call;
  if (!isAtLeast(draft.version, "5.1")) return refuse(call, unknownAction());
  const attributes = {
    type: mediaType(draft, "apiextensibility"),
    href: `${draft.base}/api/extensibility`,
  };
  return show(call, "apiextensibility", elementOf(draft, "Extensibility", attributes));
}

type Resolved = { readonly path: string; readonly type: string };

/** GET of `/api/entity/<urn>`: a link to the object with the id, for who may see it. */
export function resolveEntity(call: UserCall): Answer {
  const { draft } = call;
  // The colons of a URN may be percent-encoded; nothing else in it needs to be.
  const urn = segmentOf(call, 0).replaceAll(/%3a/gi, ":");
  const rest = urn.startsWith(draft.dialect.urnPrefix)
    ? urn.slice(draft.dialect.urnPrefix.length)
    : "";
  const [kind = "", id = ""] = rest.split(":");
  if (kind === "") return refuse(call, badRequest(`${urn} is no id of an entity.`));
  const bad = checkUuid(id);
  if (bad !== undefined) return refuse(call, bad);
  const found = resolve(call, kind, id);
  if (found === undefined) return refuse(call, noAccess(draft, kind, id));
  const attributes = {
    name: urn,
    id: urn,
    type: mediaType(draft, "entity"),
    href: `${draft.base}/api/entity/${urn}`,
  };
  const link = linkTo(draft, "alternate", found.path, found.type);
  return show(call, "entity", elementOf(draft, "Entity", attributes, [link]));
}

function resolve(call: UserCall, kind: string, id: string): Resolved | undefined {
  const { draft, state, user } = call;
  switch (kind) {
    case "vm":
    case "vapp": {
      const target = findTarget({ ...call, segments: [`${kind}-${id}`] });
      if (isRefusal(target)) return undefined;
      return { path: `/api/vApp/${kind}-${id}`, type: mediaType(draft, target.kind) };
    }
    case "org":
      return findOrg(call, id) === undefined
        ? undefined
        : { path: `/api/org/${id}`, type: mediaType(draft, "org") };
    case "vdc":
      return orgsOf(state, user).some((name) => vdcIdOf(state, name) === id)
        ? { path: `/api/vdc/${id}`, type: mediaType(draft, "vdc") }
        : undefined;
    case "datastore": {
      const isSeen = isAdministrator(user) && state.datastores.has(id);
      const path = `/api/admin/extension/datastore/${id}`;
      return isSeen ? { path, type: adminType(draft, "datastore") } : undefined;
    }
    default:
      return undefined;
  }
}
