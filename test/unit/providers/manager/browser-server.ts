/**
 * An object browser as tests script it, from the wire facts alone: it knows Basic logins, cookies,
 * nonces and logout, and answers the form with the page it is given.
 */

import { createHttpClients } from "../../../../src/http/client.ts";
import type { BrowserPorts } from "../../../../src/providers/manager/reclaim/browser.ts";
import { type TestPorts, testPorts, testTarget } from "../../../helpers/http-ports.ts";
import {
  type Reply,
  reply,
  type ScriptedServer,
  type SeenRequest,
  startServer,
} from "../../../helpers/scripted-server.ts";

export const nonce = "a1b2+c3/d4==";
export const sessionCookie = 'vmware_soap_session="5f0c-77/aa+b="';
export const user = "DOMAIN\\admin";
export const password = "pass&wörd";

/** The form of a method as newer builds write it. */
export const formPage = `<!DOCTYPE html>
<html><head><title>Managed Object Browser</title><script>var s = "<table>";</script></head>
<body><h1>void wipeDisk</h1><form action="/mob/?moid=vm%2d12&method=wipeDisk" method="post">
<input name="vmware-session-nonce" type="hidden" value="${nonce}">
<table><tr><td>NAME</td><td>TYPE</td><td>VALUE</td></tr></table>
<p><a href="/mob/?moid=ha%2dfolder%2droot">up</a> Invoke Method</p></form></body></html>`;

/** A result page, of the form's own build. */
export function resultPage(result: string): string {
  return formPage.replace("</body>", `<p>Method Invocation Result: ${result}</p></body>`);
}

export const taskResult =
  'ManagedObjectReference:Task <a href="/mob/?moid=task%2d123">task-123</a>';

export type Answered = Reply | "reset";

export type BrowserScript = {
  readonly basePath?: string;
  /** Reply to the page of a method; the form by default. */
  readonly page?: (request: SeenRequest) => Answered;
  /** Reply to the form; a task by default. */
  readonly form?: (request: SeenRequest) => Answered;
  readonly logout?: Answered;
  readonly user?: string;
};

export type ScriptedBrowser = {
  readonly server: ScriptedServer;
  readonly ports: BrowserPorts;
  readonly test: TestPorts;
  /** As `GET /mob/logout`, in order of arrival. */
  requests(): readonly string[];
  close(): Promise<void>;
};

export async function startBrowser(script: BrowserScript = {}): Promise<ScriptedBrowser> {
  const basePath = script.basePath ?? "";
  const answer = (request: SeenRequest): Answered => {
    if (request.url === `${basePath}/mob/logout`) return script.logout ?? {};
    if (request.method === "POST") return script.form?.(request) ?? ownForm(request);
    return script.page?.(request) ?? withCookie(formPage);
  };
  const server = await startServer((request, response) => {
    const answered = answer(request);
    if (answered === "reset") response.destroy();
    else reply(response, answered);
  });
  const test = testPorts();
  const http = createHttpClients(test)(testTarget(server.origin));
  const settings = { basePath, user: script.user ?? user, password };
  return {
    server,
    test,
    ports: { http, clock: test.clock, settings },
    requests: () => server.seen.map(({ method, url }) => `${method} ${url}`),
    close: async () => {
      await http.close();
      await server.close();
    },
  };
}

export function html(body: string, status = 200): Reply {
  return { status, headers: { "content-type": "text/html; charset=utf-8" }, body };
}

export function withCookie(body: string, status = 200): Reply {
  return {
    status,
    headers: {
      "content-type": "text/html",
      "set-cookie": `${sessionCookie}; Path=/; HttpOnly; Secure`,
    },
    body,
  };
}

/** Without cookie and nonce of the page a form is refused. */
function ownForm({ headers, body }: SeenRequest): Reply {
  const given = new URLSearchParams(body).get("vmware-session-nonce");
  if (headers.cookie !== sessionCookie || given !== nonce) {
    return html("<html><body><h1>CSRF error</h1></body></html>", 403);
  }
  return html(resultPage(taskResult));
}
