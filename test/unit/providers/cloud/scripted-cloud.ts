/**
 * A cloud as tests script it, from the wire facts alone: it knows versions, login and logout, and
 * answers everything else by method and path.
 */

import { createHttpClients } from "../../../../src/http/client.ts";
import type { Clock } from "../../../../src/model/clock.ts";
import type { Value } from "../../../../src/model/value/value.ts";
import type { CloudConnection } from "../../../../src/providers/cloud/client/client.ts";
import { openCloud } from "../../../../src/providers/cloud/open.ts";
import { type TestPorts, testPorts } from "../../../helpers/http-ports.ts";
import {
  type Reply,
  reply,
  type ScriptedServer,
  type SeenRequest,
  startServer,
} from "../../../helpers/scripted-server.ts";

/** Words of one server. */
export type Words = {
  readonly tokenHeader: string;
  readonly cookie: string;
  readonly media: string;
  readonly admin: string;
  readonly namespace: string;
  readonly versionsNamespace: string;
};

export const neutralWords: Words = {
  tokenHeader: "x-cloud-authorization",
  cookie: "cloud-token",
  media: "application/vnd.vendor.cloud.",
  admin: "application/vnd.vendor.admin.",
  namespace: "http://www.example.com/cloud/v1.5",
  versionsNamespace: "http://www.example.com/cloud/versions",
};

export const vendorWords: Words = {
  tokenHeader: "X-Vcloud-Authorization",
  cookie: "vcloud-token",
  media: "application/vnd.vmware.vcloud.",
  admin: "application/vnd.vmware.admin.",
  namespace: "http://www.vmware.com/vcloud/v1.5",
  versionsNamespace: "http://www.vmware.com/vcloud/versions",
};

export type Answered = Reply | "reset" | "hang";
export type Handler = (request: SeenRequest, count: number) => Answered | undefined;

export type CloudScript = {
  readonly words?: Words;
  readonly versions?: readonly string[];
  readonly org?: string;
  /** Before anything the cloud does itself; undefined leaves it to that. `count` from 0 by path. */
  readonly handle?: Handler;
  readonly settings?: { readonly [name: string]: Value };
  readonly clock?: Clock;
  /** In front of `/api`. */
  readonly basePath?: string;
  /** Printed in hrefs instead of the origin and base path that were called. */
  readonly printed?: string;
  /** Without it tokens are checked, and a refused one is answered with an empty 401. */
  readonly tokenless?: boolean;
};

export type ScriptedCloud = {
  readonly server: ScriptedServer;
  readonly connection: CloudConnection;
  readonly ports: TestPorts;
  readonly words: Words;
  /** Tokens given and not ended, in order. */
  readonly alive: Set<string>;
  /** As `GET /api/session`, in order of arrival; the login's own two are left out. */
  requests(): readonly string[];
  count(start: string): number;
  xml(body: string, status?: number): Reply;
  close(): Promise<void>;
};

const noise =
  'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="a http://https://10.0.0.1/x.xsd"';

function versionsXml(words: Words, versions: readonly string[], base: string): string {
  const infos = versions.map(
    (version) =>
      `<VersionInfo deprecated="false"><Version>${version}</Version>` +
      `<LoginUrl>${base}/api/sessions</LoginUrl><MediaTypeMapping/></VersionInfo>`,
  );
  const alpha = "<AlphaVersion><Version>37.0.0-alpha</Version></AlphaVersion>";
  return `<SupportedVersions xmlns="${words.versionsNamespace}" ${noise}>${infos.join("")}${alpha}</SupportedVersions>`;
}

export function sessionXml(words: Words, org: string, base: string): string {
  return `<Session xmlns="${words.namespace}" user="admin" org="${org}" type="${words.media}session+xml" href="${base}/api/session/" ${noise}>
  <Link rel="down" type="${words.media}orgList+xml" href="${base}/api/org/"/>
  <Link rel="remove" href="${base}/api/session/"/>
  <Link rel="down" type="${words.admin}cloud+xml" href="${base}/api/admin/"/>
  <Link rel="down" type="${words.media}query.queryList+xml" href="${base}/api/query"/>
</Session>`;
}

export function errorXml(words: Words, major: number, minor: string, message: string): string {
  const escaped = message.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  return `<Error xmlns="${words.namespace}" minorErrorCode="${minor}" message="${escaped}" majorErrorCode="${major}" stackTrace="com.secret.Place: at line 1" ${noise}></Error>`;
}

export async function startCloud(script: CloudScript = {}): Promise<ScriptedCloud> {
  const words = script.words ?? neutralWords;
  const alive = new Set<string>();
  const counts = new Map<string, number>();
  let opened = 0;
  const server = await startServer((request, response) => {
    const key = `${request.method} ${request.url}`;
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    const answered = script.handle?.(request, count) ?? own(request);
    if (answered === "reset") response.destroy();
    else if (answered !== "hang") reply(response, answered);
  });
  const base = script.printed ?? `${server.origin}${script.basePath ?? ""}`;
  const api = `${script.basePath ?? ""}/api`;
  const xml = (body: string, status = 200): Reply => ({
    status,
    headers: { "content-type": `${words.media}thing+xml;version=5.1` },
    body,
  });
  const own = (request: SeenRequest): Answered => {
    const path = request.url.slice(api.length);
    if (path === "/versions") {
      return xml(versionsXml(words, script.versions ?? ["1.5", "5.1"], base));
    }
    if (path === "/sessions") {
      opened += 1;
      const token = `C6De${opened}/+x==`;
      alive.add(token);
      const type = request.headers.accept?.replace("*+xml", words.media.slice(12) + "session+xml");
      return {
        headers: {
          [words.tokenHeader]: token,
          "set-cookie": `${words.cookie}=${token}; Secure; Path=/`,
          "content-type": type ?? "",
        },
        body: sessionXml(words, script.org ?? "System", base),
      };
    }
    const token = request.headers[words.tokenHeader.toLowerCase()];
    if (script.tokenless !== true && !alive.has(String(token))) return { status: 401 };
    if (path !== "/session") return xml(errorXml(words, 404, "", "unknown path"), 404);
    if (request.method === "GET") return xml(sessionXml(words, script.org ?? "System", base));
    alive.delete(String(token));
    return { status: 204, headers: { "content-type": "application/*+xml;version=5.1" } };
  };
  const ports = testPorts(script.clock === undefined ? {} : { clock: script.clock });
  const { connection } = await openCloud(
    {
      http: createHttpClients(ports),
      clock: ports.clock,
      readTextFile: () => Promise.reject(new Error("no file is read")),
    },
    {
      url: `${server.origin}${script.basePath ?? ""}`,
      user: "admin",
      org: "system",
      password: "pass&word",
      ...script.settings,
    },
  );
  const requests = (): readonly string[] =>
    server.seen
      .map(({ method, url }) => `${method} ${url}`)
      .filter((one) => !/ .*\/(versions|sessions)$/.test(one));
  return {
    server,
    connection,
    ports,
    words,
    alive,
    requests,
    count: (start) =>
      server.seen.filter(({ method, url }) => `${method} ${url}`.startsWith(start)).length,
    xml,
    close: async () => {
      await connection.close();
      await server.close();
    },
  };
}
