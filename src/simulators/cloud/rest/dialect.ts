/**
 * Words of the wire that differ between dialects. The specification replaces the vendor's words by
 * neutral ones; servers in the field speak the vendor's (wire facts A.0). A client learns them at
 * login, so the simulator can speak both.
 */

export type DialectName = "neutral" | "vendor";

export type Dialect = {
  readonly tokenHeader: string;
  readonly tokenCookie: string;
  /** Media types of the API, up to the name. */
  readonly mediaPrefix: string;
  /** Media types of what only administrators manage. */
  readonly adminPrefix: string;
  /** Namespace of all bodies, whatever the version (wire facts A.0.1). */
  readonly namespace: string;
  readonly extensionNamespace: string;
  readonly versionsNamespace: string;
  readonly urnPrefix: string;
  /** Media type name of the administrators' root. */
  readonly adminRoot: string;
  /** Names of services and entities in tasks and messages begin so. */
  readonly service: string;
  readonly realm: string;
};

const dialects: { readonly [name in DialectName]: Dialect } = {
  neutral: {
    tokenHeader: "x-cloud-authorization",
    tokenCookie: "cloud-token",
    mediaPrefix: "application/vnd.vendor.cloud.",
    adminPrefix: "application/vnd.vendor.admin.",
    namespace: "http://www.vendor.com/cloud/v1.5",
    extensionNamespace: "http://www.vendor.com/cloud/extension/v1.5",
    versionsNamespace: "http://www.vendor.com/cloud/versions",
    urnPrefix: "urn:cloud:",
    adminRoot: "cloud",
    service: "com.vendor.cloud",
    realm: "Cloud",
  },
  vendor: {
    tokenHeader: "x-vcloud-authorization",
    tokenCookie: "vcloud-token",
    mediaPrefix: "application/vnd.vmware.vcloud.",
    adminPrefix: "application/vnd.vmware.admin.",
    namespace: "http://www.vmware.com/vcloud/v1.5",
    extensionNamespace: "http://www.vmware.com/vcloud/extension/v1.5",
    versionsNamespace: "http://www.vmware.com/vcloud/versions",
    urnPrefix: "urn:vcloud:",
    adminRoot: "vcloud",
    service: "com.vmware.vcloud",
    realm: "vCloud",
  },
};

export function dialectOf(name: DialectName): Dialect {
  return dialects[name];
}
