/** Opening the connection that settings describe; nothing is sent by it. */

import type { Value } from "../../model/value/value.ts";
import { openHttp } from "../kit/endpoint.ts";
import type { ProviderPorts } from "../kit/factory.ts";
import type { CloudConnection } from "./client/client.ts";
import { type CloudSettings, readSettings } from "./client/settings.ts";
import { connect } from "./connection.ts";

export type OpenedCloud = {
  readonly connection: CloudConnection;
  readonly settings: CloudSettings;
};

/** Throws `RemoteError` of kind invalid for settings that cannot hold, an unreadable file too. */
export async function openCloud(ports: ProviderPorts, written: Value): Promise<OpenedCloud> {
  const settings = readSettings(written);
  const http = await openHttp(ports, settings);
  return { connection: connect({ http, clock: ports.clock }, settings), settings };
}
