/**
 * The provider of the local VM daemon (specification, section B). It has no login, so a session is
 * no more than a client; the version probe of the daemon is not used, since every reply is checked.
 */

import type { HttpClient } from "../../http/call.ts";
import { causeCode } from "../../http/cause.ts";
import type { ProviderSession } from "../../model/provider.ts";
import { RemoteError, retold } from "../../model/remote-error.ts";
import type { Value } from "../../model/value.ts";
import { openHttp, urlOf } from "../kit/endpoint.ts";
import type { ProviderFactory, ProviderPorts } from "../kit/factory.ts";
import { refusal } from "../kit/refusal.ts";
import { loadSchema } from "../kit/schema-file.ts";
import { type Get, listFolders, listVms, observe } from "./observe.ts";
import { callOf, readSent } from "./send.ts";
import { readSettings } from "./settings.ts";
import { folderType } from "./shared-folder.ts";
import { vmType, vmTypeName } from "./vm.ts";
import { readVmsData, vmsDataName, vmsDataType } from "./vms-data.ts";

const pure = {
  name: "daemon",
  settingsSchema: loadSchema("providers", "daemon"),
  types: [vmType, folderType],
  dataTypes: [vmsDataType],
} as const;

export const daemonProvider: ProviderFactory = {
  ...pure,
  create: (ports) => ({ ...pure, open: (settings) => openSession(ports, settings) }),
};

/** Throws `RemoteError` of kind invalid for settings that name no endpoint. */
async function openSession(ports: ProviderPorts, settings: Value): Promise<ProviderSession> {
  const { basePath, ...target } = readSettings(settings);
  const client = await openHttp(ports, target);
  const call: HttpClient["call"] = async (request, decode) => {
    try {
      return await client.call(request, decode);
    } catch (error) {
      throw error instanceof RemoteError ? withHint(error) : error;
    }
  };
  const get: Get = (path, decode) =>
    call(
      {
        class: "read",
        method: "GET",
        path: `${basePath}/api${path}`,
        headers: { accept: "application/json" },
      },
      decode,
    );
  return {
    url: urlOf({ ...target, basePath }),
    read: (wanted) => observe(get, wanted),
    send: async (operation, deadlineMs) =>
      call(callOf(operation, basePath, deadlineMs), (reply) => readSent(operation, reply)),
    list: async (type) => {
      if (type !== vmTypeName) {
        throw refusal(
          "invalid",
          `objects of type ${type} cannot be listed: they are content of a VM`,
        );
      }
      return (await listVms(get)).map((identity) => ({ type, identity }));
    },
    listContent: (_type, containers) => listFolders(get, containers),
    readData: async (type, query) => {
      if (type !== vmsDataName) throw new Error(`the daemon has no data source ${type}`);
      return readVmsData(get, query);
    },
    close: () => client.close(),
  };
}

/** People start the daemon by hand, so the commonest failure has an easy way out. */
function withHint(error: RemoteError): RemoteError {
  if (causeCode(error) !== "ECONNREFUSED") return error;
  return retold(error, `${error.message}; is the daemon running? Start it, or set url`);
}
