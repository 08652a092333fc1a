/**
 * Endpoints: which server a provider speaks to. An address says where a server is, not who it is;
 * where an interface tells the server's own id, that decides.
 */

export type Endpoint = {
  /** Origin and path before that of the interface; never with credentials. */
  readonly url: string;
  /** What the server calls itself, where its interface tells. */
  readonly instance?: string;
};

/** An endpoint of a run, under the name of the provider (with alias) that speaks to it. */
export type NamedEndpoint = Endpoint & { readonly provider: string };

/**
 * `other`: the servers have different ids. `unsure`: they are at different addresses, and no id
 * tells whether one server has moved.
 */
export type EndpointRelation = "same" | "unsure" | "other";

export function relateEndpoints(recorded: Endpoint, present: Endpoint): EndpointRelation {
  if (recorded.instance !== undefined && present.instance !== undefined) {
    return recorded.instance === present.instance ? "same" : "other";
  }
  return recorded.url === present.url ? "same" : "unsure";
}

export function equalEndpoints(left: Endpoint | undefined, right: Endpoint | undefined): boolean {
  return left?.url === right?.url && left?.instance === right?.instance;
}

/** Without the name of its provider. */
export function endpointIn(named: Endpoint): Endpoint {
  const { url, instance } = named;
  return instance === undefined ? { url } : { url, instance };
}

export function endpointText({ url, instance }: Endpoint): string {
  return instance === undefined ? url : `${url} (server ${instance})`;
}
