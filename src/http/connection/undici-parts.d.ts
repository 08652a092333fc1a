/**
 * The parts of undici that are used, one by one: the whole of it (fetch, WebSockets, mocks, caches)
 * takes longer to load than anything else in a small plan. Its version is pinned.
 */

declare module "undici/lib/core/errors.js" {
  const part: typeof import("undici").errors;
  export default part;
}

declare module "undici/lib/core/connect.js" {
  const part: typeof import("undici").buildConnector;
  export default part;
}

declare module "undici/lib/dispatcher/agent.js" {
  const part: typeof import("undici").Agent;
  export default part;
}

declare module "undici/lib/dispatcher/pool.js" {
  const part: typeof import("undici").Pool;
  export default part;
}

declare module "undici/lib/api/api-connect.js" {
  import type { Dispatcher } from "undici";

  /** `CONNECT` by way of a dispatcher. */
  export default function connect(
    this: Dispatcher,
    options: { readonly path: string; readonly headers: { readonly [name: string]: string } },
  ): Promise<Dispatcher.ConnectData>;
}
