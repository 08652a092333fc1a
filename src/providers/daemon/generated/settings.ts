/** Generated from schemas/providers/daemon.schema.json by scripts/generate-types.mjs; not for editing by hand. */

export interface DaemonBlock {
  url: string;
  ca_file?: string;
  thumbprint?: string;
  allow_unverified_ssl?: boolean;
  request_timeout: string;
  connect_timeout: string;
  parallel_reads: number;
}
