/** A server of the board for tests, and somebody who browses it by HTTP. */

import { type IncomingHttpHeaders, request } from "node:http";
import { type Served, startServing } from "../../../src/serve/server.ts";
import { type ServeOptions, settingsOf } from "../../../src/serve/settings.ts";
import { createMemoryBoard, type MemoryBoard } from "../../helpers/memory-board.ts";
import { testTypes } from "../../helpers/recorded-builder.ts";

export type Serving = Served & { readonly board: MemoryBoard; readonly faults: unknown[] };

export async function serveBoard(
  options: Partial<ServeOptions> = {},
  oidcSecret?: string,
): Promise<Serving> {
  const board = createMemoryBoard();
  const faults: unknown[] = [];
  const served = await startServing(
    settingsOf({
      ...{ listen: "127.0.0.1:0", trustedProxies: [], roles: [], oidcRolesClaim: "groups" },
      ...options,
    }),
    {
      ...{ board, types: testTypes, version: "1.2.3", owner: "kim", oidcSecret },
      now: () => Date.now(),
      onFault: (error) => faults.push(error),
    },
  );
  return { ...served, board, faults };
}

export type Answer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

export type Browser = {
  readonly get: (path: string, headers?: Headers) => Promise<Answer>;
  /** Sends a form with the token of the page that was read last, as a browser would. */
  readonly post: (
    path: string,
    fields: readonly (readonly [string, string])[],
    headers?: Headers,
  ) => Promise<Answer>;
  readonly cookies: Map<string, string>;
};

type Headers = { readonly [name: string]: string | readonly string[] };

/** Keeps cookies. `always` are headers as a proxy would add them. */
export function browse({ port }: Pick<Served, "port">, always: Headers = {}): Browser {
  const cookies = new Map<string, string>();
  let token = "";
  const send = async (
    method: string,
    path: string,
    headers: Headers,
    body?: string,
  ): Promise<Answer> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await exchange(port, method, path, { ...always, cookie, ...headers }, body);
    for (const line of answer.headers["set-cookie"] ?? []) {
      const [pair = ""] = line.split(";");
      const at = pair.indexOf("=");
      if (/Max-Age=0/i.test(line)) cookies.delete(pair.slice(0, at));
      else cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    token = /name="token" value="([^"]+)"/.exec(answer.body)?.[1] ?? token;
    return answer;
  };
  return {
    cookies,
    get: (path, headers = {}) => send("GET", path, headers),
    post: (path, fields, headers = {}) => {
      const form = new URLSearchParams({ token });
      for (const [name, value] of fields) form.append(name, value);
      return send(
        "POST",
        path,
        {
          "content-type": "application/x-www-form-urlencoded",
          origin: `http://127.0.0.1:${port}`,
          ...headers,
        },
        form.toString(),
      );
    },
  };
}

function exchange(
  port: number,
  method: string,
  path: string,
  headers: Headers,
  body?: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, method, path, headers: { ...headers } as {} });
    sent.on("error", reject);
    sent.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => {
        text += part;
      });
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
    });
    sent.end(body);
  });
}

/** By the address that is printed. */
export async function loggedIn(serving: Pick<Served, "port" | "address">): Promise<Browser> {
  const browser = browse(serving);
  const { pathname, search } = new URL(serving.address);
  await browser.get(`${pathname}${search}`);
  return browser;
}
