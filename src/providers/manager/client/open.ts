/** Opening the connection that settings describe; nothing is sent by it. */

import type { HttpClient } from "../../../http/call.ts";
import type { Value } from "../../../model/value/value.ts";
import { openHttp } from "../../kit/endpoint.ts";
import type { ProviderPorts } from "../../kit/factory.ts";
import type { ManagerConnection } from "./client.ts";
import { connect } from "./connection.ts";
import { type ManagerSettings, readSettings } from "./settings.ts";

export type OpenedManager = {
  readonly connection: ManagerConnection;
  readonly settings: ManagerSettings;
  /** The client below the connection, for what is no SOAP; it ends with the connection. */
  readonly http: HttpClient;
};

/** Throws `RemoteError` of kind invalid for settings that cannot hold, an unreadable file too. */
export async function openManager(ports: ProviderPorts, written: Value): Promise<OpenedManager> {
  const settings = readSettings(written);
  const http = await openHttp(ports, settings);
  return { connection: connect({ http, clock: ports.clock }, settings), settings, http };
}
