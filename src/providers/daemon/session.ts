/**
 * Sessions of the local VM daemon (specification, section B). It has no login, so a session is
 * no more than a client; the version probe of the daemon is not used, since every reply is checked.
 */

import type { HttpClient } from "../../http/call.ts";
import { causeCode } from "../../http/cause.ts";
import { RemoteError, retold } from "../../model/operation/remote-error.ts";
import type { Value } from "../../model/value/value.ts";
import { openHttp, urlOf } from "../kit/endpoint.ts";
import type { ProviderPorts } from "../kit/factory.ts";
import type { Part } from "../kit/part.ts";
import type { Opened, Sessions } from "../kit/provider.ts";
import { queried } from "../kit/schema/decode.ts";
import { type Get, listFolders, listVms, observe } from "./observe.ts";
import { callOf, readSent } from "./send.ts";
import { readSettings } from "./settings.ts";
import { folderType } from "./shared-folder.ts";
import { surveyDaemon } from "./survey.ts";
import { vmType, vmTypeName } from "./vm.ts";
import { readVmsData, vmsDataName } from "./vms-data.ts";

type DaemonPorts = {
  readonly call: HttpClient["call"];
  readonly get: Get;
  readonly basePath: string;
};

const vmPart: Part<DaemonPorts> = {
  types: [vmType, folderType],
  data: { [vmsDataName]: queried(vmsDataName, readVmsData) },
  read: ({ get }, wanted) => observe(get, wanted),
  send: async ({ call, basePath }, operation, deadlineMs) =>
    call(callOf(operation, basePath, deadlineMs), (reply) => readSent(operation, reply)),
  list: {
    [vmTypeName]: async ({ get }) =>
      (await listVms(get)).map((identity) => ({ type: vmTypeName, identity })),
  },
  listContent: ({ get }, containers) => listFolders(get, containers),
};

export const daemonSessions: Sessions<DaemonPorts> = { parts: [vmPart], open: openSession };

async function openSession(ports: ProviderPorts, settings: Value): Promise<Opened<DaemonPorts>> {
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
    open: async () => ({ call, get, basePath }),
    own: {
      url: urlOf({ ...target, basePath }),
      survey: () => surveyDaemon(get),
      close: () => client.close(),
    },
  };
}

/** People start the daemon by hand, so the commonest failure has an easy way out. */
function withHint(error: RemoteError): RemoteError {
  if (causeCode(error) !== "ECONNREFUSED") return error;
  return retold(error, `${error.message}; is the daemon running? Start it, or set url`);
}
