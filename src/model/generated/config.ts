/** Generated from schemas/config.schema.json by scripts/generate-types.mjs; not for editing by hand. */

/**
 * Type of the value: a word, or { list: TYPE }, { map: TYPE }, { object: { NAME: TYPE } }. Without it, the type of the default, else text.
 */
export type VariableType =
  | ("string" | "number" | "integer" | "boolean" | "list" | "map" | "any")
  | {
      list?: VariableType1;
      map?: VariableType2;
      /**
       * Types of the members of a map that has these members.
       */
      object?: {
        [k: string]: VariableType | VariableMember;
      };
    };
/**
 * Type of each element of a list.
 */
export type VariableType1 =
  | ("string" | "number" | "integer" | "boolean" | "list" | "map" | "any")
  | {
      list?: VariableType1;
      map?: VariableType2;
      /**
       * Types of the members of a map that has these members.
       */
      object?: {
        [k: string]: VariableType | VariableMember;
      };
    };
/**
 * Type of each value of a map.
 */
export type VariableType2 =
  | ("string" | "number" | "integer" | "boolean" | "list" | "map" | "any")
  | {
      list?: VariableType1;
      map?: VariableType2;
      /**
       * Types of the members of a map that has these members.
       */
      object?: {
        [k: string]: VariableType | VariableMember;
      };
    };
/**
 * A number and a unit: ms, s, m or h.
 */
export type Duration = string;

/**
 * A vmform configuration after its expressions are evaluated. One folder's *.vmform.yaml files together.
 */
export interface Configuration {
  vmform?: SettingsBlock;
  /**
   * Endpoints by provider name, or provider.alias.
   */
  providers?: {
    [k: string]: ProviderBlock;
  };
  /**
   * Values given from outside: --var, --var-file, VMFORM_VAR_NAME.
   */
  variables?: {
    [k: string]: VariableBlock;
  };
  /**
   * Named values, in any order.
   */
  locals?: {
    [k: string]: unknown;
  };
  /**
   * Calls of modules: folders with variables, resources and outputs of their own, by name.
   */
  modules?: {
    [k: string]: ModuleBlock;
  };
  /**
   * Data sources by type.name: read, never changed.
   */
  data?: {
    [k: string]: DataBlock;
  };
  /**
   * Resources by type.name.
   */
  resources?: {
    [k: string]: ResourceBlock;
  };
  /**
   * Values to show and to hand on after applying.
   */
  outputs?: {
    [k: string]: OutputBlock;
  };
  /**
   * What should hold, and is only warned of where it does not: by plan, apply and drift.
   */
  checks?: {
    [k: string]: ConditionBlock;
  };
  /**
   * What must hold of everything that a plan does: judged by plan, by apply, and where time decides right before each operation. May stand in *.vmformpolicy.yaml.
   */
  policies?: {
    [k: string]: PolicyBlock;
  };
  /**
   * Addresses that changed; the object stays.
   */
  moved?: MovedBlock[];
  /**
   * Addresses that left the configuration, and what becomes of their objects.
   */
  removed?: RemovedBlock[];
  /**
   * Objects that exist already and are to be recorded by the next apply.
   */
  imports?: ImportBlock[];
}
/**
 * Settings of vmform itself. Static: no expressions.
 */
export interface SettingsBlock {
  /**
   * Versions of vmform that may be used, such as >=0.1, or >=0.2, <1.
   */
  required_version?: string;
  /**
   * How many days the history of a run is kept that vmform runs tells. Default: 365.
   */
  keep_runs_days?: number;
  state?: StateSettings;
  encryption?: EncryptionSettings;
  simulator?: SimulatorSettings;
  on?: NotificationSettings;
  drift?: DriftSettings;
}
/**
 * Where recorded state is kept. Default: state/default.json beside the configuration.
 */
export interface StateSettings {
  local?: LocalStateSettings;
  http?: HttpStateSettings;
  s3?: S3StateSettings;
  postgres?: PostgresStateSettings;
}
/**
 * A file.
 */
export interface LocalStateSettings {
  /**
   * File, relative to the configuration.
   */
  path: string;
}
/**
 * A server that speaks the protocol of Terraform's http backend, such as GitLab and Gitea. What is left out comes from the variables that Terraform reads, TF_HTTP_ADDRESS and so on.
 */
export interface HttpStateSettings {
  /**
   * Where the state is read and written, without login, such as https://gitlab.example/api/v4/projects/42/terraform/state/lab. Default: TF_HTTP_ADDRESS.
   */
  address?: string;
  /**
   * Method of a write. Default: TF_HTTP_UPDATE_METHOD, else POST.
   */
  update_method?: string;
  /**
   * Where it is locked. Default: TF_HTTP_LOCK_ADDRESS, else /lock below the address on GitLab and Gitea, else the address.
   */
  lock_address?: string;
  /**
   * Method of locking. Default: TF_HTTP_LOCK_METHOD, else POST on GitLab and Gitea, else LOCK.
   */
  lock_method?: string;
  /**
   * Where it is unlocked. Default: TF_HTTP_UNLOCK_ADDRESS, else where it is locked.
   */
  unlock_address?: string;
  /**
   * Method of unlocking. Default: TF_HTTP_UNLOCK_METHOD, else DELETE on GitLab and Gitea, else UNLOCK.
   */
  unlock_method?: string;
  /**
   * User name. Default: TF_HTTP_USERNAME.
   */
  username?: string;
  /**
   * Where the password or token is: { env: NAME }, { file: PATH }, { command: [PROGRAM, …] } or { vault: { path: PATH, field: FIELD } }. Default: TF_HTTP_PASSWORD.
   */
  password?: {
    [k: string]: unknown;
  };
  /**
   * File with PEM certificates of authorities to be trusted beside those of the system, relative to the configuration.
   */
  ca_file?: string;
  /**
   * SHA-1 or SHA-256 fingerprint of the server's certificate, which then decides alone whether it is trusted.
   */
  thumbprint?: string;
  /**
   * Trusts any certificate, and plain http to other computers: whoever stands between reads the password.
   */
  allow_unverified_ssl?: boolean;
  /**
   * Uses a server that has no locks. Only where there is never more than one run.
   */
  without_lock?: boolean;
}
/**
 * Objects in a bucket, of AWS or of another vendor that keeps conditional writes. What is left out comes from the variables that the tools of AWS read: AWS_REGION, AWS_ENDPOINT_URL_S3, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN.
 */
export interface S3StateSettings {
  /**
   * Bucket, which has to be there.
   */
  bucket: string;
  /**
   * Key of the object, such as lab/vmform.json; its lock is KEY.lock.
   */
  key: string;
  /**
   * Region of the bucket. Default: AWS_REGION, AWS_DEFAULT_REGION, else us-east-1 where an endpoint is given.
   */
  region?: string;
  /**
   * Address of another vendor's server. Default: AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, else AWS.
   */
  endpoint?: string;
  /**
   * With an endpoint: ENDPOINT/BUCKET/KEY, and not BUCKET.ENDPOINT/KEY.
   */
  use_path_style?: boolean;
  /**
   * Id of the access key. Default: AWS_ACCESS_KEY_ID.
   */
  access_key?: string;
  /**
   * Where the secret of the access key is: { env: NAME }, { file: PATH }, { command: [PROGRAM, …] } or { vault: { path: PATH, field: FIELD } }. Default: AWS_SECRET_ACCESS_KEY.
   */
  secret_key?: {
    [k: string]: unknown;
  };
  /**
   * File with PEM certificates of authorities to be trusted beside those of the system, relative to the configuration.
   */
  ca_file?: string;
  /**
   * Trusts any certificate, and plain http to other computers: whoever stands between reads what is recorded.
   */
  allow_unverified_ssl?: boolean;
}
/**
 * A PostgreSQL database. What is left out comes from the environment, as of psql: PGHOST, PGUSER, PGPASSWORD, PGSSLMODE.
 */
export interface PostgresStateSettings {
  /**
   * Server, role and database, such as postgres://user@db.example:5432/vmform. No password.
   */
  url?: string;
  /**
   * Where the password is: { env: NAME }, { file: PATH }, { command: [PROGRAM, …] } or { vault: { path: PATH, field: FIELD } }.
   */
  password?: {
    [k: string]: unknown;
  };
  /**
   * Certificates that are trusted, in PEM, relative to the configuration. Default: PGSSLROOTCERT, else those that Node.js trusts.
   */
  ca_file?: string;
  /**
   * Which of the states in that schema, without an @, which stands before the name of a workspace. Default: default.
   */
  name?: string;
  /**
   * Schema of the database that has the tables. Default: vmform.
   */
  schema?: string;
}
/**
 * Recorded state, emergency copies and saved plans are encrypted, by AES-256-GCM. Default: they are not.
 */
export interface EncryptionSettings {
  /**
   * Where the passphrase is, of 16 characters or more: { env: NAME }, { file: PATH }, { command: [PROGRAM, …] } or { vault: { path: PATH, field: FIELD } }.
   */
  passphrase?: {
    [k: string]: unknown;
  };
  /**
   * Where a key is instead, 32 bytes as base64 or hexadecimal digits, as of openssl rand -base64 32: { env: NAME }, { file: PATH }, { command: [PROGRAM, …] } or { vault: { path: PATH, field: FIELD } }.
   */
  key?: {
    [k: string]: unknown;
  };
  /**
   * Keys that were used before: what they have encrypted is still read.
   *
   * @minItems 1
   */
  former?: [FormerKey, ...FormerKey[]];
  /**
   * What is not encrypted is refused; read, as long as there is some from before; or written from now on, to end encryption.
   */
  unencrypted?: "refused" | "read" | "written";
}
/**
 * A passphrase or a key.
 */
export interface FormerKey {
  /**
   * Where the former passphrase is.
   */
  passphrase?: {
    [k: string]: unknown;
  };
  /**
   * Where the former key is.
   */
  key?: {
    [k: string]: unknown;
  };
}
/**
 * Work against the embedded simulator instead of the configured endpoints.
 */
export interface SimulatorSettings {
  /**
   * World file, relative to the configuration.
   */
  world: string;
}
/**
 * What is told to whom when something has happened. A hook that fails is a warning and changes nothing.
 */
export interface NotificationSettings {
  /**
   * vmform drift has found drift.
   */
  drift?: NotificationHook[];
  /**
   * An apply or destroy has ended as it was asked to.
   */
  applied?: NotificationHook[];
  /**
   * An apply or destroy has failed or was interrupted, a plan that was to be saved could not be made, or drift could not check all.
   */
  failed?: NotificationHook[];
  /**
   * An apply or destroy has changes that somebody has to agree to, or a plan was saved that has.
   */
  needs_approval?: NotificationHook[];
}
/**
 * A program or a server that is told. Either command or webhook.
 */
export interface NotificationHook {
  /**
   * Program and its words, without a shell, in the folder of the configuration. It gets the message as JSON on standard input.
   *
   * @minItems 1
   */
  command?: [string, ...string[]];
  webhook?: NotificationWebhook;
  /**
   * Limit of one try, such as 10s, at most 60s. Default: 10s.
   */
  timeout?: string;
  /**
   * How often it is tried, with a pause between. Default: 3.
   */
  tries?: number;
}
/**
 * A server that gets the message as JSON by POST.
 */
export interface NotificationWebhook {
  /**
   * Where, such as https://hooks.example/vmform. One that is a secret stands in secret_url.
   */
  url?: string;
  /**
   * Where a URL that nobody may read is: { env: NAME }, { file: PATH }, { command: [PROGRAM, …] } or { vault: { path: PATH, field: FIELD } }.
   */
  secret_url?: {
    [k: string]: unknown;
  };
  /**
   * Where the value of the header Authorization is, such as Bearer TOKEN, in the same forms.
   */
  authorization?: {
    [k: string]: unknown;
  };
}
/**
 * What vmform drift makes of what it finds.
 */
export interface DriftSettings {
  /**
   * Differences that are known and do not count as drift for a while. Each report shows them, and whom to ask.
   */
  ignore?: DriftIgnoreRule[];
}
/**
 * A difference that does not count as drift until a day has ended.
 */
export interface DriftIgnoreRule {
  /**
   * An instance, a resource with all its instances, or a module with all that is in it.
   */
  address: string;
  /**
   * The attribute alone. Absent: whatever differs, and that the object is gone.
   */
  attribute?: string;
  /**
   * Whom to ask.
   */
  owner: string;
  /**
   * Why it may stay so for a while.
   */
  reason: string;
  /**
   * The last day, such as 2026-12-31, as it ends in UTC. Later the rule ignores nothing, and says so.
   */
  until: string;
}
/**
 * Settings of one endpoint; which ones there are depends on the provider.
 */
export interface ProviderBlock {
  [k: string]: unknown;
}
/**
 * A variable. Without a default a value must be given.
 */
export interface VariableBlock {
  type?: VariableType;
  /**
   * Value when none is given. Static: no expressions.
   */
  default?: {
    [k: string]: unknown;
  };
  /**
   * What it is for.
   */
  description?: string;
  /**
   * The value is masked wherever it is shown.
   */
  sensitive?: boolean;
  /**
   * The value is never recorded, and masked: it may be used only where nothing is recorded.
   */
  ephemeral?: boolean;
  /**
   * Null may be given. With false, null stands for the default.
   */
  nullable?: boolean;
  /**
   * Conditions the value must meet.
   */
  validation?: ConditionBlock[];
}
/**
 * A member of an object that may be left out, or has a default.
 */
export interface VariableMember {
  type: VariableType;
  /**
   * Value when the member is left out or null.
   */
  default?: {
    [k: string]: unknown;
  };
  /**
   * The member may be left out, and is null then.
   */
  optional?: boolean;
  /**
   * What it is for.
   */
  description?: string;
}
/**
 * A condition and what to say when it is false.
 */
export interface ConditionBlock {
  /**
   * Must be true.
   */
  condition: boolean;
  /**
   * Said when the condition is false.
   */
  message: string;
}
/**
 * One call of a module.
 */
export interface ModuleBlock {
  /**
   * Where the module is: a folder by a path that begins with ./ or ../, or what vmform init fetches (git::URL?ref=COMMIT, npm:PACKAGE@VERSION, https://….tar.gz or .zip), with //FOLDER for a folder inside.
   */
  source: string;
  /**
   * Values for the variables of the module.
   */
  inputs?: {
    [k: string]: unknown;
  };
  /**
   * Providers by the name that the module uses; those not named here have the same name inside.
   */
  providers?: {
    [k: string]: string;
  };
  /**
   * Number of instances, addressed by [0], [1] and so on.
   */
  count?: number;
  /**
   * One instance for each entry of a map, or each text of a list; addressed by ["key"].
   */
  for_each?:
    | {
        [k: string]: unknown;
      }
    | string[];
  /**
   * What comes before all that is in the module, without being referred to.
   */
  depends_on?: string[];
}
/**
 * A data source: arguments of its type, and these beside them.
 */
export interface DataBlock {
  /**
   * Number of instances, addressed by [0], [1] and so on.
   */
  count?: number;
  /**
   * One instance for each entry of a map, or each text of a list; addressed by ["key"].
   */
  for_each?:
    | {
        [k: string]: unknown;
      }
    | string[];
  /**
   * What comes first without being referred to: while it changes, the data source is read only after it.
   */
  depends_on?: string[];
  /**
   * Provider or provider.alias. Default: the first word of the type.
   */
  provider?: string;
  lifecycle?: DataLifecycleBlock;
  [k: string]: unknown;
}
/**
 * Rules for reading it.
 */
export interface DataLifecycleBlock {
  /**
   * What must hold before it is read; else it is not, and nothing is done for what uses it.
   */
  preconditions?: ConditionBlock[];
  /**
   * What must hold of the answer (self); else nothing is done for what uses it.
   */
  postconditions?: ConditionBlock[];
}
/**
 * A resource: attributes of its type, and these beside them.
 */
export interface ResourceBlock {
  /**
   * Number of instances, addressed by [0], [1] and so on.
   */
  count?: number;
  /**
   * One instance for each entry of a map, or each text of a list; addressed by ["key"].
   */
  for_each?:
    | {
        [k: string]: unknown;
      }
    | string[];
  /**
   * Resources (type.name) or instances that come first without being referred to.
   */
  depends_on?: string[];
  /**
   * Provider or provider.alias. Default: the first word of the type.
   */
  provider?: string;
  lifecycle?: LifecycleBlock;
  timeouts?: TimeoutsBlock;
  [k: string]: unknown;
}
/**
 * Rules for changing it.
 */
export interface LifecycleBlock {
  /**
   * A plan that would delete or replace it is an error. An expression may use vars, each, count, path and locals that need no resource.
   */
  prevent_destroy?: boolean;
  /**
   * When replaced, make the new object first.
   */
  create_before_destroy?: boolean;
  /**
   * Attributes whose changes are never sent, or the word all.
   */
  ignore_changes?: string[] | string;
  /**
   * Resources, instances or attributes of them (type.name, type.name.attribute): when one of them changes, this is made anew.
   */
  replace_triggered_by?: string[];
  /**
   * What must hold before anything is done for it; else nothing is, nor for what depends on it.
   */
  preconditions?: ConditionBlock[];
  /**
   * What must hold of it (self) once it is as wanted; else nothing is done for what depends on it.
   */
  postconditions?: ConditionBlock[];
}
/**
 * Time limits of operations, such as 90s or 10m. A request whose reply was lost, and that does not show as a remote task within the time of request, is taken as never arrived.
 */
export interface TimeoutsBlock {
  create?: Duration;
  update?: Duration;
  delete?: Duration;
  power?: Duration;
  wait?: Duration;
  request?: Duration;
}
/**
 * An output.
 */
export interface OutputBlock {
  /**
   * The value.
   */
  value: {
    [k: string]: unknown;
  };
  /**
   * What it is.
   */
  description?: string;
  /**
   * The value is masked wherever it is shown.
   */
  sensitive?: boolean;
  /**
   * What must hold for the output to be recorded; else its last value stays.
   */
  preconditions?: ConditionBlock[];
}
/**
 * What must hold of what is planned, and what becomes of what it does not hold of.
 */
export interface PolicyBlock {
  /**
   * What it is asked of: each change, each operation, each data source that was read, or the plan as a whole.
   */
  over: "changes" | "operations" | "data" | "plan";
  /**
   * Where it does not hold: warn tells, deny stops the plan, needs_consent asks for --allow policy:NAME.
   */
  level: "warn" | "deny" | "needs_consent";
  /**
   * It is asked only of that of which this is true. Default: of all.
   */
  when?: boolean;
  /**
   * Must be true.
   */
  condition?: boolean;
  /**
   * Instead of a condition: when it may begin. Outside, it waits or is left for later.
   *
   * @minItems 1
   */
  window?: [WindowBlock, ...WindowBlock[]];
  /**
   * Zone of the times, by its IANA name such as Europe/Berlin. Needed where the time decides.
   */
  time_zone?: string;
  /**
   * Said where it does not hold.
   */
  message: string;
}
/**
 * A span of the day, on days of the week.
 */
export interface WindowBlock {
  /**
   * Days on which it opens. Default: all.
   *
   * @minItems 1
   */
  days?: [
    "mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun",
    ...("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[]
  ];
  /**
   * When it opens, such as 22:00.
   */
  from: string;
  /**
   * When it ends, such as 04:00; on the next day where it is not after from. 24:00 is the end of the day.
   */
  to: string;
}
/**
 * An address that changed.
 */
export interface MovedBlock {
  /**
   * The old address.
   */
  from: string;
  /**
   * The new address.
   */
  to: string;
}
/**
 * An address that left the configuration.
 */
export interface RemovedBlock {
  /**
   * The address; a resource stands for all its instances.
   */
  from: string;
  /**
   * Whether the object is destroyed, too. With false it stays and is only forgotten.
   */
  destroy?: boolean;
}
/**
 * An object that exists already.
 */
export interface ImportBlock {
  /**
   * The address of the instance that is to hold it.
   */
  to: string;
  /**
   * What the remote side calls it: the id of a VM; vm/share for a shared folder.
   */
  id: string;
  /**
   * Provider or provider.alias that has it, where the resource is still to be written. Default: the first word of the type.
   */
  provider?: string;
}
