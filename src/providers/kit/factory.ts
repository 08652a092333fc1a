/** How providers are made: the pure half stands at once, sessions need ports. */

import type { HttpClient, HttpTarget } from "../../http/call.ts";
import type { Clock } from "../../model/clock.ts";
import type { Provider } from "../../model/provider/provider.ts";

/** The outside world, as a provider may use it. A read-only `http` makes read-only sessions. */
export type ProviderPorts = {
  readonly http: (target: HttpTarget) => HttpClient | Promise<HttpClient>;
  readonly clock: Clock;
  /**
   * A file that settings name and that holds no secret, such as a certificate. Throws `RemoteError`
   * of kind invalid that names the file.
   */
  readonly readTextFile: (path: string) => Promise<string>;
};

/** A provider before it has ports: enough for validating and planning. */
export type ProviderFactory = Pick<Provider, "name" | "settingsSchema" | "types" | "dataTypes"> & {
  create(ports: ProviderPorts): Pick<Provider, "open">;
};
