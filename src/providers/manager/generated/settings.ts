/** Generated from schemas/providers/manager.schema.json by scripts/generate-types.mjs; not for editing by hand. */

export interface ManagerBlock {
  url: string;
  user: string;
  password: string;
  ca_file?: string;
  thumbprint?: string;
  allow_unverified_ssl: boolean;
  request_timeout: string;
  connect_timeout: string;
  parallel_reads: number;
  page_size: number;
  limits?: {
    relocates_per_datastore?: number;
    wipes_per_host?: number;
    shrinks_per_datastore?: number;
  };
}
