/** Generated from schemas/providers/cloud.schema.json by scripts/generate-types.mjs; not for editing by hand. */

export interface CloudBlock {
  url: string;
  user: string;
  org?: string;
  password: string;
  api_version?: string;
  ca_file?: string;
  thumbprint?: string;
  allow_unverified_ssl: boolean;
  request_timeout: string;
  connect_timeout: string;
  parallel_reads: number;
  page_size: number;
  limits?: {
    relocates_per_datastore?: number;
  };
}
