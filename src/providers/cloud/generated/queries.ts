/** Generated from schemas/data/cloud_* by scripts/generate-types.mjs; not for editing by hand. */

/**
 * By the name of the data source.
 */
export interface CloudQueries {
  cloud_datastore: CloudDatastore;
  cloud_query: CloudQuery;
  cloud_vapp: CloudVapp;
  cloud_vm: CloudVm;
}
export interface CloudDatastore {
  href?: string;
  name?: string;
  manager_name?: string;
}
export interface CloudQuery {
  type: string;
  filter?: string;
  where?: {
    [k: string]: string;
  };
  /**
   * @minItems 1
   */
  fields?: [string, ...string[]];
  format: "records" | "references" | "idrecords";
}
export interface CloudVapp {
  href?: string;
  name?: string;
  vdc_name?: string;
}
export interface CloudVm {
  href?: string;
  name?: string;
  vapp_name?: string;
}
