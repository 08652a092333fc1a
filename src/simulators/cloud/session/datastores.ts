/**
 * Datastores and infrastructure managers as documents, for system administrators only (wire facts
 * A.2.1, A.3.1). A reference such as `datastore-11` means something only together with its manager.
 */

import type { XmlElement } from "../../../lib/xml/xml.ts";
import type { Answer } from "../../kit/answer.ts";
import type { UserCall } from "../rest/call.ts";
import { checkUuid, refuse, segmentOf, show } from "../rest/call.ts";
import type { Draft } from "../rest/document.ts";
import { adminType, elementIn, elementOf, linkTo } from "../rest/document.ts";
import { noAccess, operationDenied } from "../rest/refusal.ts";
import { managerOf, usedMb } from "../world/cloud-state.ts";
import type { CloudManager } from "../world/inventory.ts";
import { isAdministrator } from "../world/inventory.ts";

const folder = "/api/admin/extension";

/** Root of the extension, which leads to the lists. */
export function getExtension(call: UserCall): Answer {
  const { draft } = call;
  if (!isAdministrator(call.user)) return refuse(call, operationDenied());
  const type = adminType(draft, "vmwExtension");
  const attributes = { type, href: `${draft.base}${folder}` };
  const root = elementIn(draft.dialect.extensionNamespace, "VMWExtension", attributes, [
    linkTo(draft, "down", `${folder}/datastores`, adminType(draft, "datastoreList")),
    linkTo(draft, "down", `${folder}/vimServerReferences`, adminType(draft, "vimServerReferences")),
  ]);
  return show(call, { admin: "vmwExtension" }, root);
}

export function listDatastores(call: UserCall): Answer {
  const { draft, state } = call;
  if (!isAdministrator(call.user)) {
    return refuse(call, noAccess(draft, "extension", "datastores"));
  }
  const references = [...state.datastores.values()].map((datastore) =>
    elementOf(draft, "Reference", {
      type: adminType(draft, "datastore"),
      name: datastore.name,
      href: `${draft.base}${folder}/datastore/${datastore.id}`,
    }),
  );
  const root = elementIn(draft.dialect.extensionNamespace, "DatastoreReferences", {}, references);
  return show(call, { admin: "datastoreList" }, root);
}

export function getDatastore(call: UserCall): Answer {
  const { draft, state } = call;
  const id = segmentOf(call, 0);
  const bad = checkUuid(id);
  if (bad !== undefined) return refuse(call, bad);
  const datastore = state.datastores.get(id);
  if (datastore === undefined || !isAdministrator(call.user)) {
    return refuse(call, noAccess(draft, "datastore", id));
  }
  const namespace = draft.dialect.extensionNamespace;
  const used = usedMb(state, datastore);
  const value = (local: string, text: string | number): XmlElement =>
    elementIn(namespace, local, {}, [String(text)]);
  const attributes = {
    name: datastore.name,
    id: `${draft.dialect.urnPrefix}datastore:${id}`,
    type: adminType(draft, "datastore"),
    href: `${draft.base}${folder}/datastore/${id}`,
  };
  const root = elementIn(namespace, "Datastore", attributes, [
    elementIn(namespace, "VimObjectRef", {}, [
      managerElement(draft, "VimServerRef", managerOf(state, id)),
      value("MoRef", datastore.moref),
      value("VimObjectType", "DATASTORE"),
    ]),
    value("IsEnabled", String(datastore.enabled)),
    value("CapacityMb", datastore.capacityMb),
    value("UsedMb", used),
  ]);
  return show(call, { admin: "datastore" }, root);
}

export function listManagers(call: UserCall): Answer {
  const { draft, state } = call;
  if (!isAdministrator(call.user)) return refuse(call, operationDenied());
  const references = state.managers.map((manager) =>
    managerElement(draft, "VimServerReference", manager),
  );
  const namespace = draft.dialect.extensionNamespace;
  const root = elementIn(namespace, "VMWVimServerReferences", {}, references);
  return show(call, { admin: "vimServerReferences" }, root);
}

export function getManager(call: UserCall): Answer {
  const { draft, state, user } = call;
  const id = segmentOf(call, 0);
  const bad = checkUuid(id);
  if (bad !== undefined) return refuse(call, bad);
  const manager = state.managers.find((each) => each.id === id);
  if (manager === undefined || !isAdministrator(user)) {
    return refuse(call, noAccess(draft, "vimserver", id));
  }
  return show(call, { admin: "vmwvirtualcenter" }, managerElement(draft, "VimServer", manager));
}

function managerElement(draft: Draft, local: string, manager: CloudManager): XmlElement {
  return elementIn(draft.dialect.extensionNamespace, local, {
    type: adminType(draft, "vmwvirtualcenter"),
    name: manager.name,
    href: `${draft.base}${folder}/vimServer/${manager.id}`,
  });
}
