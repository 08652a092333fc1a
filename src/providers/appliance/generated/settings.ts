/** Generated from schemas/providers/appliance.schema.json by scripts/generate-types.mjs; not for editing by hand. */

export interface ApplianceBlock {
  url: string;
  user: string;
  password: string;
  login: "session" | "basic";
  release?: "6.5" | "6.7" | "7.0";
  prefix?: "rest" | "api" | "none";
  ca_file?: string;
  thumbprint?: string;
  allow_unverified_ssl: boolean;
  request_timeout: string;
  connect_timeout: string;
  parallel_reads: number;
}
