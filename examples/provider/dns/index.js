/** A provider package for vmform: the records of a DNS zone file. See docs/provider-packages.md. */

import { simulated } from "./simulated.js";
import { changeRecord, readZone } from "./zone.js";

const settings = {
  type: "object",
  description: "A zone file, of which records are managed.",
  additionalProperties: false,
  required: ["zone_file"],
  properties: {
    zone_file: { type: "string", minLength: 1, description: "Path of the zone file." },
  },
};

const schema = {
  type: "object",
  description: "A record of a zone file, known by its name and kind.",
  additionalProperties: false,
  required: ["name", "kind", "value"],
  properties: {
    name: {
      type: "string",
      pattern: "^[A-Za-z0-9@*._-]+$",
      description: "Name of the record, relative to the zone.",
      "x-vmform": { key: true, forceNew: true, planTime: true },
    },
    kind: {
      type: "string",
      enum: ["A", "AAAA", "CNAME", "TXT"],
      description: "Kind of the record.",
      "x-vmform": { key: true, forceNew: true, planTime: true },
    },
    value: {
      type: "string",
      pattern: "^\\S([^\\n\\r]*\\S)?$",
      description: "What the record says: an address, a name, a quoted text.",
    },
    ttl: {
      type: "integer",
      minimum: 1,
      default: 300,
      description: "How long it may be remembered, seconds.",
    },
  },
};

/** @type {import("vmform/provider").ProviderPackageFactory} */
export default function dns({ RemoteError }) {
  return {
    name: "dns",
    settings,
    types: [
      {
        name: "dns_record",
        schema,
        ownership: "owned",
        links: [],
        identityOf: ({ name, kind }) =>
          typeof name === "string" && typeof kind === "string" ? `${name}/${kind}` : undefined,
        entity: (identity, { zone_file: file }) => `${file} ${identity}`,
        lower,
        request: (verb, identity, { value, ttl }) => ({
          method: verb.toUpperCase(),
          path: `/${identity}`,
          ...(verb === "remove" ? {} : { body: { value, ttl } }),
        }),
        limitMs: () => 30_000,
      },
    ],
    open: async ({ zone_file: file }, { path }) =>
      session(path(file), fileZone(path(file)), RemoteError),
    simulate: (world) => simulated(world, (file, zone) => session(file, zone, RemoteError)),
  };
}

/** What vmform does about a change: here always one step. */
function lower({ action, identity, inputs = {}, changed = [] }) {
  const { value, ttl } = inputs;
  const step = (verb, effect, expect, applied) => ({
    verb,
    effect,
    summary: `${verb} record ${identity}`,
    request: { inputs: { value, ttl }, repeat: effect === "create" ? "unsafe" : "safe" },
    applied,
    proof: { expect },
  });
  const same = (name) => ({ attribute: name, equals: inputs[name] });
  switch (action) {
    case "create":
      return [step("add", "create", [{ existence: "found" }, same("value"), same("ttl")], inputs)];
    case "update":
      return [step("change", "update", changed.map(same), inputs)];
    case "delete":
      return [step("remove", "delete", [{ existence: "missing" }], {})];
    default:
      throw new Error(`unknown action ${action}`);
  }
}

const fileZone = (file) => ({
  read: () => readZone(file),
  change: (record, change) => changeRecord(file, record, change),
});

function session(file, zone, RemoteError) {
  const refused = (kind, message) => new RemoteError({ kind, effect: "none", message });
  /** A file that cannot be read is an error: it says nothing of its records. */
  const readable = () =>
    zone.read().catch((error) => {
      throw refused("unavailable", `${file} cannot be read: ${error.message}`);
    });
  let last = Promise.resolve();
  /** One change of the file after the other. */
  const inTurn = (work) => {
    last = last.catch(() => {}).then(work);
    return last;
  };
  return {
    url: `file:${file}`,
    read: async (wanted) => {
      const records = await readable();
      return wanted.map(({ identity }) => {
        const found = records.find((record) => identityOf(record) === identity);
        return found === undefined
          ? { status: "missing", proof: `absent from all ${records.length} records of ${file}` }
          : { status: "found", identity, attributes: found, unreadable: {} };
      });
    },
    send: ({ verb, subject: { identity }, request: { inputs } }) =>
      inTurn(async () => {
        const [name, kind] = identity.split("/");
        await zone.change({ name, kind }, (present) => {
          if (verb === "add" && present !== undefined) {
            throw refused("conflict", `there is a record ${identity} already`);
          }
          if (verb === "change" && present === undefined) {
            throw refused("not-found", `there is no record ${identity}`);
          }
          return verb === "remove" ? undefined : { name, kind, ...inputs };
        });
        return {};
      }),
    list: async (type) =>
      (await readable()).map((record) => ({ type, identity: identityOf(record) })),
    close: async () => {},
  };
}

function identityOf({ name, kind }) {
  return `${name}/${kind}`;
}
