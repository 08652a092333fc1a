/**
 * The conformance suite over the worked example, which passes it, and over variants of it that are
 * broken on purpose: each check has one that it must find.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { appendFile, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type {
  PackageKit,
  PackageResourceType,
  ProviderPackage,
  ProviderPackageFactory,
} from "../../../src/model/provider/package.ts";
import type { ProviderSession } from "../../../src/model/provider/provider.ts";
import { type Harness, NotHeld } from "../../../src/published/harness.ts";
import { packageChecks } from "../../../src/published/testing.ts";
import { some } from "../../helpers/amount.ts";

const { default: dns } = (await import(
  new URL("../../../examples/provider/dns/index.js", import.meta.url).href
)) as { readonly default: ProviderPackageFactory };

const scratch = mkdtempSync(join(tmpdir(), "vmform-checks-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

let zone = "";
const harness: Harness = {
  world: async () => {
    const folder = mkdtempSync(join(scratch, "world-"));
    zone = join(folder, "zone");
    await mkdir(join(folder, "nothing"));
    return {
      settings: { zone_file: zone },
      unreachable: { zone_file: join(folder, "nothing") },
      secrets: ["hunter2"],
      snapshot: async () => textOf(zone),
      loseReply: async () => void (losing = true),
    };
  },
  samples: [
    {
      type: "dns_record",
      create: { name: "www", kind: "A", value: "192.0.2.1", ttl: 60 },
      update: { value: "192.0.2.2" },
      actions: [
        { name: "touch", after: { ttl: 1 } },
        { name: "sign", refused: true },
      ],
    },
  ],
  data: [
    { type: "dns_zone", query: { kind: "A" }, expect: { records: 0 }, refused: { kind: "MX" } },
  ],
  settleMs: 100,
};
/** The reply to the next change is lost. */
let losing = false;

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

type Change = {
  readonly provider?: (given: ProviderPackage, kit: PackageKit) => ProviderPackage;
  readonly type?: (type: PackageResourceType) => Partial<PackageResourceType>;
  readonly session?: (session: ProviderSession, kit: PackageKit) => Partial<ProviderSession>;
};

function variant({ provider = (given) => given, type, session }: Change): ProviderPackageFactory {
  return async (kit) => {
    const given = await dns(kit);
    const types = given.types.map((one) => ({ ...one, actions, ...type?.(one) }));
    const open: ProviderPackage["open"] = async (settings, ports) => {
      const lossy = losable(await given.open(settings, ports), kit);
      const opened = { ...lossy, ...moreOf(lossy, kit) };
      return { ...opened, ...session?.(opened, kit) };
    };
    return provider({ ...given, types, dataTypes: [zoneData], open }, kit);
  };
}

const actions = ["touch", "sign"].map((name) => ({ name, description: name, disrupts: [] }));

const zoneData = {
  name: "dns_zone",
  schema: {
    type: "object",
    additionalProperties: false,
    properties: {
      kind: { type: "string" },
      records: { type: "integer", "x-vmform": { computed: true } },
    },
  },
};

/** What the example has no need of: an action, one that is always refused, and a data source. */
function moreOf(
  session: ProviderSession,
  { RemoteError }: PackageKit,
): Pick<ProviderSession, "outlook" | "act" | "readData"> {
  const no = (kind: "precondition" | "not-found") =>
    new RemoteError({ kind, effect: "none", message: "it is not done" });
  const readable = async (): Promise<number> => (await session.list?.("dns_record"))?.length ?? 0;
  return {
    outlook: async () => ({}),
    act: async (action, _type, identity) => {
      if (action === "sign") throw no("precondition");
      const text = textOf(zone);
      const [name = ""] = identity.split("/");
      if (!new RegExp(`^${name} `, "m").test(text)) throw no("not-found");
      writeFileSync(zone, text.replaceAll(/ \d+ IN /g, " 1 IN "));
      return {};
    },
    readData: async (_type, { kind }) => {
      const records = await readable();
      if (kind === "MX") throw no("not-found");
      return { records };
    },
  };
}

/** A file has no replies that could be lost: the test loses them. */
function losable(session: ProviderSession, { RemoteError }: PackageKit): ProviderSession {
  return {
    ...session,
    send: async (operation, deadlineMs) => {
      const answer = await session.send(operation, deadlineMs);
      if (!losing) return answer;
      losing = false;
      throw new RemoteError({ kind: "timeout", effect: "unknown", message: "no reply" });
    },
  };
}

/** Ids of the checks that do not hold. */
async function failing(make: ProviderPackageFactory, changed: Partial<Harness> = {}) {
  const found = new Map<string, unknown>();
  for (const { id, run } of packageChecks(make, { ...harness, ...changed })) {
    losing = false;
    await run().catch((error: unknown) => found.set(id, error));
  }
  return found;
}

const ids = packageChecks(dns, harness).map(({ id }) => id);

test("the example passes every check", async () => {
  expect(ids.length).toBeGreaterThan(15);
  expect(await failing(variant({}))).toEqual(new Map());
});

let calls = 0;
const none = { records: 0 };

const broken: readonly (readonly [id: string, what: string, Change, Partial<Harness>?])[] = [
  ["types-have-samples", "a type without a sample", {}, { samples: [] }],
  [
    "sample-fits",
    "a sample of another kind",
    {},
    { samples: [{ type: "dns_record", create: { name: "www", kind: "MX", value: "x", ttl: 60 } }] },
  ],
  ["key-is-identity", "a constant identity", { type: () => ({ identityOf: () => "www/A" }) }],
  [
    "key-is-identity",
    "an identity of what is no key",
    {
      type: () => ({
        identityOf: ({ name, value }) =>
          typeof name === "string" && typeof value === "string" ? `${name}/A` : undefined,
      }),
    },
  ],
  [
    "planning-is-pure",
    "a counter in a summary",
    {
      type: ({ lower }) => ({
        lower: (request) =>
          lower(request).map((step) => {
            calls += 1;
            return { ...step, summary: `${step.summary} ${calls}` };
          }),
      }),
    },
  ],
  [
    "unknown-is-planned",
    "a value that must be known",
    {
      type: ({ request }) => ({
        request: (verb, identity, inputs) => {
          if (typeof inputs.value !== "string") throw new TypeError("value.trim is no function");
          return request(verb, identity, inputs);
        },
      }),
    },
  ],
  ["steps-are-whole", "no request", { type: () => ({ request: () => undefined }) }],
  [
    "steps-are-whole",
    "nothing expected",
    {
      type: ({ lower }) => ({
        lower: (request) => lower(request).map((step) => ({ ...step, proof: { expect: [] } })),
      }),
    },
  ],
  [
    "absent-is-missing",
    "an absence that is a failure",
    {
      session: (given) => ({
        read: async (wanted) =>
          (await given.read(wanted)).map((one) =>
            one.status === "missing"
              ? { status: "unreadable", rule: "failed", reason: "not found" }
              : one,
          ),
      }),
    },
  ],
  ["created-is-read", "a change that is not made", { session: () => ({ send: async () => ({}) }) }],
  [
    "created-is-read",
    "what is kept in memory alone",
    {
      session: () => {
        const made = new Set<string>();
        return {
          send: async ({ subject }) => {
            made.add(subject.identity);
            return {};
          },
          read: async (wanted) =>
            wanted.map(({ identity }) =>
              made.has(identity)
                ? {
                    status: "found",
                    identity,
                    attributes: { name: "www", kind: "A", value: "192.0.2.1", ttl: 60 },
                    unreadable: {},
                  }
                : { status: "missing", proof: "not in memory" },
            ),
        };
      },
    },
  ],
  [
    "reading-changes-nothing",
    "a read that writes",
    {
      session: (given) => ({
        read: async (wanted) => {
          await appendFile(zone, "; read\n");
          return given.read(wanted);
        },
      }),
    },
  ],
  [
    "reads-are-in-order",
    "answers in an order of their own",
    {
      session: (given) => ({
        read: async (wanted) =>
          (await given.read(wanted)).toSorted((a, b) => (a.status < b.status ? -1 : 1)),
      }),
    },
  ],
  [
    "updated-is-read",
    "an update that takes something along",
    {
      session: (given) => ({
        send: (operation, deadlineMs) => {
          const { verb, request } = operation;
          if (verb !== "change") return given.send(operation, deadlineMs);
          const inputs = { ...request.inputs, ttl: 1 };
          return given.send({ ...operation, request: { ...request, inputs } }, deadlineMs);
        },
      }),
    },
  ],
  [
    "created-twice-is-conflict",
    "a create that overwrites",
    {
      session: (given) => ({
        send: (operation, deadlineMs) =>
          given.send(operation, deadlineMs).catch((error: unknown) => {
            if (operation.verb !== "add") throw error;
            return {};
          }),
      }),
    },
  ],
  [
    "created-twice-is-conflict",
    "a conflict of unknown effect",
    {
      session: (given, { RemoteError }) => ({
        send: (operation, deadlineMs) =>
          given.send(operation, deadlineMs).catch((error: Error) => {
            throw new RemoteError({ kind: "conflict", effect: "unknown", message: error.message });
          }),
      }),
    },
  ],
  [
    "deleted-is-missing",
    "a delete that empties",
    {
      session: (given) => ({
        send: (operation, deadlineMs) =>
          operation.verb === "remove" ? Promise.resolve({}) : given.send(operation, deadlineMs),
      }),
    },
  ],
  [
    "deleting-absent-is-harmless",
    "an absence of unknown effect",
    {
      session: (given, { RemoteError }) => ({
        send: async (operation, deadlineMs) => {
          if (operation.verb === "remove") {
            const { identity, address, type } = operation.subject;
            const [there] = await given.read([{ identity, address, type, attributes: [] }]);
            if (there?.status === "missing") {
              throw new RemoteError({ kind: "protocol", effect: "unknown", message: "what?" });
            }
          }
          return given.send(operation, deadlineMs);
        },
      }),
    },
  ],
  [
    "lost-reply-is-unknown",
    "a lost reply without effect",
    {
      session: (given, { RemoteError }) => ({
        send: (operation, deadlineMs) =>
          given.send(operation, deadlineMs).catch((error: Error) => {
            throw new RemoteError({ kind: "conflict", effect: "none", message: error.message });
          }),
      }),
    },
  ],
  ["listed", "a list without anything", { session: () => ({ list: async () => [] }) }],
  [
    "no-answer-is-an-error",
    "an endpoint that is away holds nothing",
    {
      session: (given) => ({
        read: (wanted) =>
          given
            .read(wanted)
            .catch(() => wanted.map(() => ({ status: "missing", proof: "no answer" }))),
      }),
    },
  ],
  [
    "no-answer-is-an-error",
    "a fault instead of an error",
    {
      session: (given) => ({
        read: (wanted) =>
          given.read(wanted).catch((error: Error) => {
            throw new TypeError(error.message);
          }),
      }),
    },
  ],
  ["data-has-samples", "a data source without a sample", {}, { data: [] }],
  [
    "actions-have-samples",
    "an action without a sample",
    { type: () => ({ actions: [...actions, { name: "burn", description: "b", disrupts: [] }] }) },
  ],
  [
    "data-fits",
    "a query of another kind",
    {},
    { data: [{ type: "dns_zone", query: { kid: "A" } }] },
  ],
  [
    "data-is-read",
    "another number",
    { session: () => ({ readData: async () => ({ records: 3 }) }) },
  ],
  ["data-is-read", "an answer without it", { session: () => ({ readData: async () => ({}) }) }],
  [
    "asking-changes-nothing",
    "a question that writes",
    {
      session: () => ({
        readData: async () => {
          await appendFile(zone, "; asked\n");
          return { records: 0 };
        },
      }),
    },
  ],
  [
    "asking-changes-nothing",
    "an answer of its own each time",
    { session: () => ({ readData: async () => ({ records: (calls += 1) }) }) },
  ],
  [
    "refused-query-is-an-error",
    "an empty answer for what is not there",
    { session: () => ({ readData: async () => ({ records: 0 }) }) },
  ],
  [
    "no-answer-is-no-data",
    "an empty answer of nobody",
    {
      session: (given) => ({
        readData: async (type, query) =>
          (await given.readData?.(type, query).catch(() => none)) ?? none,
      }),
    },
  ],
  [
    "action-is-foretold",
    "a look that acts",
    {
      session: (given) => ({
        outlook: async (action, type, identity) => {
          await given.act?.(action, type, identity);
          return {};
        },
      }),
    },
  ],
  ["action-is-done", "an action that does nothing", { session: () => ({ act: async () => ({}) }) }],
  [
    "action-is-done",
    "a refusal of unknown effect",
    {
      session: (_given, { RemoteError }) => ({
        act: () =>
          Promise.reject(new RemoteError({ kind: "busy", effect: "unknown", message: "perhaps" })),
      }),
    },
  ],
  [
    "action-on-nothing-is-refused",
    "an action on whatever there is",
    {
      session: (given) => ({
        act: async (action, type, identity) =>
          (await given.act?.(action, type, identity).catch(() => ({}))) ?? {},
      }),
    },
  ],
  [
    "absent-is-missing",
    "a secret in a proof",
    {
      session: (given) => ({
        read: async (wanted) =>
          (await given.read(wanted)).map((one) =>
            one.status === "missing" ? { ...one, proof: "asked with hunter2" } : one,
          ),
      }),
    },
  ],
];

describe("what is broken is found", () => {
  const cases = broken.map(([id, what, change, changed]) => ({ id, what, change, changed }));
  // Each of them is a whole run of the checks.
  test.each(some(cases, 2))("$id: $what", async ({ id, change, changed }) => {
    expect([...(await failing(variant(change), changed)).keys()]).toContain(id);
  });

  test("by every check there is", () => {
    const proven = new Set(broken.map(([id]) => id));
    expect([...new Set(ids)].filter((id) => !proven.has(id))).toEqual([]);
  });

  test("and said in a sentence, not by a stack", async () => {
    const found = await failing(variant({ session: () => ({ list: async () => [] }) }));
    expect(found.get("listed")).toBeInstanceOf(NotHeld);
    expect(String(found.get("listed"))).toMatch(/www\/A is not among/);
  });
});
