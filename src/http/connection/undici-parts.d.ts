/**
 * The parts of undici that are used, one by one: the whole of it (fetch, WebSockets, mocks, caches)
 * takes longer to load than anything else in a small plan. Its version is pinned.
 */

declare module "undici/lib/core/errors.js" {
  import type { errors as Part } from "undici";

  const part: typeof Part;
  export default part;
}

declare module "undici/lib/core/connect.js" {
  import type { buildConnector as Part } from "undici";

  const part: typeof Part;
  export default part;
}

declare module "undici/lib/dispatcher/agent.js" {
  import type { Agent as Part } from "undici";

  const part: typeof Part;
  export default part;
}

declare module "undici/lib/dispatcher/pool.js" {
  import type { Pool as Part } from "undici";

  const part: typeof Part;
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
