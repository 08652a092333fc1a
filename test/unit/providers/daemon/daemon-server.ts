/** A daemon as the tests script it: replies by method and path, everything else is a 404 of Go. */

import type { PreparedOperation } from "../../../../src/model/operation/operation.ts";
import type { Wanted } from "../../../../src/model/provider/observation.ts";
import type { ProviderSession } from "../../../../src/model/provider/provider.ts";
import type { Address } from "../../../../src/model/value/address.ts";
import type { Attributes } from "../../../../src/model/value/value.ts";
import { daemonProvider } from "../../../../src/providers/daemon/provider.ts";
import { folderTypeName } from "../../../../src/providers/daemon/shared-folder.ts";
import { vmType, vmTypeName } from "../../../../src/providers/daemon/vm.ts";
import { providerPorts, type TestPorts, testPorts } from "../../../helpers/http-ports.ts";
import {
  type Reply,
  reply,
  type ScriptedServer,
  startServer,
} from "../../../helpers/scripted-server.ts";

/** `json` is sent as JSON. Several replies are given in order, the last one stays. */
export type Scripted = Reply | { readonly status?: number; readonly json: unknown } | "reset";
export type Script = { readonly [request: string]: Scripted | readonly Scripted[] };

export type Daemon = {
  readonly server: ScriptedServer;
  readonly session: ProviderSession;
  readonly ports: TestPorts;
  /** `GET /api/vms` for each request so far, in order of arrival. */
  requests(): readonly string[];
  close(): Promise<void>;
};

export const ok = (message: string): Scripted => ({ json: { code: 200, message } });
export const vix = (text: string, code: number, call: string): Scripted => ({
  status: 500,
  json: { code: 500, message: `VIX Error: ${text}, code: ${code}, operation: ${call}` },
});
export const missingFile: Scripted = {
  status: 500,
  json: { code: 500, message: "lstat /vms/x/x.vmx: no such file or directory" },
};
export const html: Scripted = {
  headers: { "content-type": "text/html" },
  body: "<html><body>Sign in</body></html>",
};

export async function startDaemon(script: Script): Promise<Daemon> {
  const counts = new Map<string, number>();
  const server = await startServer((request, response) => {
    const key = `${request.method} ${request.url}`;
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    const entry = script[key] ?? { status: 404, body: "404 page not found\n" };
    const replies: readonly Scripted[] = Array.isArray(entry) ? entry : [entry as Scripted];
    const scripted = replies[Math.min(count, replies.length - 1)] ?? {};
    if (scripted === "reset") response.destroy();
    else if ("json" in scripted) {
      const { status = 200 } = scripted;
      reply(response, { status, body: JSON.stringify(scripted.json) });
    } else reply(response, scripted);
  });
  const ports = testPorts();
  const provider = daemonProvider.create(providerPorts(ports));
  const session = await provider.open({ url: server.origin });
  return {
    server,
    session,
    ports,
    requests: () => server.seen.map(({ method, url }) => `${method} ${url}`),
    close: async () => {
      await session.close();
      await server.close();
    },
  };
}

export function vm(identity: string, ...attributes: readonly string[]): Wanted {
  const address = `${vmTypeName}.${identity}` as Address;
  return { address, type: vmTypeName, identity, attributes };
}

export function folder(identity: string): Wanted {
  return {
    address: `${folderTypeName}.x` as Address,
    type: folderTypeName,
    identity,
    attributes: [],
  };
}

export function operation(
  verb: string,
  identity: string,
  inputs: Attributes = {},
  type: string = vmType.name,
): PreparedOperation {
  return {
    id: `${type}.x#${verb}.1`,
    subject: {
      address: `${type}.x` as Address,
      type,
      provider: "daemon",
      objectKey: "current",
      identity,
    },
    verb,
    effect: { kind: "update" },
    summary: verb,
    request: { inputs, repeat: "unsafe" },
    record: { applied: {}, dependencies: [], timeoutsMs: {} },
    order: { after: [], locks: [], pools: [], long: false },
    disrupts: [],
    proof: { expect: [], unobservable: false, lagging: false, limitMs: 60_000, readBack: [] },
  };
}
