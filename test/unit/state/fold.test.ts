/** What each kind of entry does to recorded state, one row per rule. */

import { expect, test } from "vitest";
import type { EffectKind, OperationEffect } from "../../../src/model/operation/operation.ts";
import type { PowerState } from "../../../src/model/operation/power.ts";
import { allRules, type Rules } from "../../../src/model/plan/rules.ts";
import type { BeginEntry } from "../../../src/model/recorded/begin-entry.ts";
import type { EndEntry, JournalEntry, NoteEntry } from "../../../src/model/recorded/journal.ts";
import type { RecordedObject, RecordedState } from "../../../src/model/recorded/recorded.ts";
import type { Address } from "../../../src/model/value/address.ts";
import { foldAll } from "../../../src/state/fold.ts";
import { type Parts, withParts } from "../../helpers/parts.ts";
import { beginEntry } from "../../helpers/recorded-builder.ts";
import { at, emptyState, objectAt } from "./samples.ts";

const [web, app, db] = [at("daemon_vm.web"), at("daemon_vm.app"), at("daemon_vm.db")];
const src = at("daemon_shared_folder.src");
const inWeb = { type: "daemon_vm", identity: "web" };

const ready = objectAt("daemon_vm.web", {
  identity: "web",
  applied: { id: "web", name: "old" },
  attributes: { id: "web", power_state: "on" },
  dependencies: [db],
});
const tentative: RecordedObject = { ...ready, status: "tentative", tentativeUntilMs: 4_000 };
const folder = objectAt("daemon_shared_folder.src", {
  type: "daemon_shared_folder",
  identity: "web/src",
  container: inWeb,
  dependencies: [web],
});

function begin(effect: OperationEffect | EffectKind, parts: Parts<BeginEntry> = {}): BeginEntry {
  const known: OperationEffect = typeof effect === "string" ? { kind: effect } : effect;
  return withParts(beginEntry({ id: "x", verb: known.kind, effect: known, atMs: 1_000 }), parts);
}
function end(outcome: EndEntry["outcome"], parts: Partial<EndEntry> = {}): EndEntry {
  return { kind: "end", planId: "p1", id: "x", outcome, atMs: 1_500, ...parts };
}
function observed(existence: "found" | "missing", attributes = {}): JournalEntry {
  return { kind: "observed", address: web, objectKey: "current", existence, attributes };
}
function note(given: NoteEntry["note"]): NoteEntry {
  return { kind: "note", note: given };
}
function move(from: Address, to: Address): NoteEntry {
  return note({ what: "move", moves: [{ from, to }] });
}

type Row = {
  readonly name: string;
  readonly objects?: readonly RecordedObject[];
  readonly restores?: RecordedState["restores"];
  readonly entries: readonly JournalEntry[];
  /** What the state holds afterwards, in part. */
  readonly gives: Partial<RecordedState>;
  readonly rules?: Partial<Rules>;
};

const owes = (address: Address, power: PowerState) => ({ address, power });
const { tentativeUntilMs: _deadline, ...found } = tentative;

const runs: readonly Row[] = [
  {
    name: "a run bumps the serial and records the settings it uses, sorted, last ones win",
    entries: [
      {
        kind: "run",
        command: "apply",
        planId: "p1",
        atMs: 1,
        simulated: true,
        providers: [
          { name: "daemon.east", settings: { url: "http://e" } },
          { name: "daemon", settings: { url: "http://a" } },
        ],
      },
      {
        kind: "run",
        command: "destroy",
        planId: "p2",
        atMs: 2,
        simulated: true,
        providers: [{ name: "daemon", settings: { url: "http://b" } }],
      },
    ],
    gives: {
      serial: 2,
      simulated: true,
      providers: [
        { name: "daemon", settings: { url: "http://b" } },
        { name: "daemon.east", settings: { url: "http://e" } },
      ],
    },
  },
];

const openings: readonly Row[] = [
  { name: "a begin stays open", entries: [begin("create")], gives: { open: [begin("create")] } },
  {
    name: "a handle joins its begin",
    entries: [begin("create"), { kind: "handle", planId: "p1", id: "x", handle: { task: 7 } }],
    gives: { open: [begin("create", { handle: { task: 7 } })] },
  },
  {
    name: "the handle of another plan's operation with the same id is not taken",
    entries: [begin("create"), { kind: "handle", planId: "p2", id: "x", handle: 7 }],
    gives: { open: [begin("create")] },
  },
  {
    name: "an end of what is not open changes nothing",
    objects: [ready],
    entries: [end("success", { attributes: { power_state: "off" } })],
    gives: { objects: [ready], open: [] },
  },
  {
    name: "an operation begun again under its id is open again",
    objects: [ready],
    entries: [begin("power"), end("failed"), begin("power", { atMs: 2_000 })],
    gives: { open: [begin("power", { atMs: 2_000 })] },
  },
];

const copied = { ...objectAt("daemon_vm.app", { identity: "app", dependencies: [web] }) };
const forWeb: RecordedObject = { ...copied, triggers: [{ address: web }] };
const forName: RecordedObject = { ...copied, triggers: [{ address: web, attribute: "name" }] };
const due: RecordedObject = { ...forWeb, triggeredBy: web };
const renamed = begin("update", { record: { applied: { name: "new" } } });
const withoutWeb = (object: RecordedObject) => ({ objects: [object], open: [] });

/** The object that is to be made anew for another, after what happens to the other. */
const triggers: readonly Row[] = [
  ...(
    [
      ["an update marks what names the object", forWeb, renamed, due],
      [
        "an update marks what names its attribute",
        forName,
        renamed,
        { ...forName, triggeredBy: web },
      ],
      [
        "an update of another attribute marks nothing",
        forName,
        begin("update", { record: { applied: { power_state: "off" } } }),
        forName,
      ],
      [
        "a value that was applied before marks nothing",
        forWeb,
        begin("update", { record: { applied: { name: "old" } } }),
        forWeb,
      ],
      [
        "what completes the making of the object marks nothing",
        forWeb,
        begin("update", { record: { applied: { name: "new" }, completes: true } }),
        forWeb,
      ],
      ["a power word that records nothing marks nothing", forWeb, begin("power"), forWeb],
    ] as const
  ).map(
    ([name, before, entry, after]): Row => ({
      name,
      objects: [before, ready],
      entries: [entry, end("success")],
      gives: {
        objects: [after, { ...ready, applied: { ...ready.applied, ...entry.record.applied } }],
      },
    }),
  ),
  {
    name: "an update that failed marks nothing",
    objects: [forWeb, ready],
    entries: [renamed, end("failed")],
    gives: { objects: [forWeb, ready] },
  },
  {
    name: "a delete marks what names the object",
    objects: [forWeb, ready],
    entries: [begin("delete"), end("success")],
    gives: withoutWeb(due),
  },
  {
    name: "the end of what a replace has left over marks nothing",
    objects: [forWeb, { ...ready, objectKey: "deposed-1" }],
    entries: [begin("delete", { subject: { objectKey: "deposed-1" } }), end("success")],
    gives: withoutWeb(forWeb),
  },
  {
    name: "content that ends with its container marks what names it",
    objects: [folder, { ...copied, dependencies: [src], triggers: [{ address: src }] }, ready],
    entries: [begin({ kind: "delete", endsContentOf: inWeb }), end("success")],
    gives: withoutWeb({
      ...copied,
      dependencies: [src],
      triggers: [{ address: src }],
      triggeredBy: src,
    }),
  },
  {
    name: "a note that says nothing of triggers leaves what is owed",
    objects: [due],
    entries: [
      note({ what: "record", address: app, applied: {}, dependencies: [web], timeoutsMs: {} }),
    ],
    gives: { objects: [{ ...due, applied: { ...due.applied } }] },
  },
  {
    name: "a note with other triggers ends what is owed",
    objects: [due],
    entries: [
      note({
        ...{ what: "record", address: app, applied: {}, dependencies: [web] },
        ...{ timeoutsMs: {}, triggers: [{ address: db }] },
      }),
    ],
    gives: { objects: [{ ...forWeb, applied: {}, triggers: [{ address: db }] }] },
  },
  {
    name: "a move renames what is named, and what is owed",
    objects: [due, ready],
    entries: [move(web, db)],
    gives: {
      objects: [
        { ...due, dependencies: [db], triggers: [{ address: db }], triggeredBy: db },
        { ...ready, address: db, dependencies: [web].map(() => db) },
      ],
    },
  },
];

const created = { id: "web", name: "new" };
const creates: readonly Row[] = [
  {
    name: "a create that succeeded is recorded as sent and as read",
    entries: [
      begin("create", {
        record: { applied: created, dependencies: [db], timeoutsMs: { create: 9 } },
      }),
      end("success", { attributes: { id: "web", power_state: "off" } }),
    ],
    gives: {
      open: [],
      objects: [
        {
          ...ready,
          applied: created,
          attributes: { id: "web", power_state: "off" },
          timeoutsMs: { create: 9 },
        },
      ],
    },
  },
  {
    name: "a create that failed leaves nothing",
    entries: [begin("create"), end("failed")],
    gives: { open: [], objects: [] },
  },
  {
    name: "a create that was never seen leaves a tentative record for three limits",
    entries: [
      begin("create", { record: { applied: created } }),
      { ...end("unknown"), kind: "closed" },
    ],
    gives: {
      objects: [
        {
          ...tentative,
          applied: created,
          attributes: {},
          dependencies: [],
          tentativeUntilMs: 1_000 + 3 * 1_000,
        },
      ],
    },
  },
  {
    name: "and three limits from when it was begun, where its own clock was wrong",
    entries: [
      begin("create", { atMs: 1, record: { applied: created } }),
      { ...end("unknown"), kind: "closed", begunMs: 70_000 },
    ],
    gives: {
      objects: [
        {
          ...tentative,
          applied: created,
          attributes: {},
          dependencies: [],
          tentativeUntilMs: 70_000 + 3 * 1_000,
        },
      ],
    },
  },
  {
    name: "rule tentative off: a create that was never seen leaves nothing",
    rules: { tentative: false },
    entries: [begin("create"), end("unknown")],
    gives: { objects: [] },
  },
  {
    name: "a tentative object that is created again is ready",
    objects: [tentative],
    entries: [
      begin("create", { record: { applied: created, dependencies: [db] } }),
      end("success", { attributes: ready.attributes }),
    ],
    gives: { objects: [{ ...ready, applied: created }] },
  },
  {
    name: "a create of the key at another address ends the wait for one never seen",
    objects: [{ ...tentative, address: app }],
    entries: [
      begin("create", { record: { applied: created, dependencies: [db] } }),
      end("success"),
    ],
    gives: { objects: [{ ...ready, applied: created, attributes: {} }] },
  },
  ...(["failed", "unknown"] as const).map(
    (outcome): Row => ({
      name: `the wait for one never seen goes on when that create ended ${outcome}`,
      rules: { tentative: false },
      objects: [{ ...tentative, address: app }],
      entries: [begin("create"), end(outcome)],
      gives: { objects: [{ ...tentative, address: app }] },
    }),
  ),
  {
    name: "a create of another key, type or provider leaves it alone",
    objects: [
      { ...tentative, address: app, identity: "app" },
      { ...tentative, address: db, provider: "daemon.east" },
    ],
    entries: [begin("create", { record: { applied: created } }), end("success")],
    gives: {
      objects: [
        { ...tentative, address: app, identity: "app" },
        { ...tentative, address: db, provider: "daemon.east" },
        { ...ready, applied: created, attributes: {}, dependencies: [] },
      ],
    },
  },
  {
    name: "a tentative object whose next create failed stays tentative",
    objects: [tentative],
    entries: [begin("create"), end("failed")],
    gives: { objects: [tentative] },
  },
];

const endsWeb = { endsContentOf: inWeb };
const inApp = {
  type: "daemon_shared_folder",
  container: { type: "daemon_vm", identity: "app" },
} as const;
const ends: readonly Row[] = [
  {
    name: "a delete that succeeded takes the record along",
    objects: [ready],
    entries: [begin("delete"), end("success", { existence: "missing" })],
    gives: { objects: [] },
  },
  {
    name: "a delete that failed keeps the record with what was read",
    objects: [ready],
    entries: [begin("delete"), end("failed", { attributes: { power_state: "off" } })],
    gives: { objects: [{ ...ready, attributes: { id: "web", power_state: "off" } }] },
  },
  {
    name: "content ends with its container's delete, in the same entry",
    objects: [folder, ready],
    entries: [begin({ kind: "delete", ...endsWeb }), end("success")],
    gives: { objects: [] },
  },
  {
    name: "content of a container that is created anew has ended",
    objects: [folder],
    entries: [
      begin({ kind: "create", ...endsWeb }, { record: { applied: created } }),
      end("success"),
    ],
    gives: {
      objects: [{ ...ready, applied: created, attributes: {}, dependencies: [] }],
    },
  },
  {
    name: "content stays when its container's delete failed",
    objects: [folder, ready],
    entries: [begin({ kind: "delete", ...endsWeb }), end("unknown")],
    gives: { objects: [folder, ready] },
  },
  {
    name: "content of other containers stays",
    objects: [{ ...folder, container: { type: "daemon_vm", identity: "app" } }, ready],
    entries: [begin({ kind: "delete", ...endsWeb }), end("success")],
    gives: { objects: [{ ...folder, container: { type: "daemon_vm", identity: "app" } }] },
  },
  {
    name: "content that was made again in another container does not end with the first",
    objects: [folder, ready],
    entries: [
      begin({ kind: "delete", ...endsWeb }),
      end("success"),
      begin("create", { subject: { ...inApp, address: src, identity: "app/src" } }),
      end("success"),
      begin({ kind: "create", ...endsWeb }),
      end("success"),
      begin({ kind: "delete", ...endsWeb }),
      end("success"),
    ],
    gives: {
      objects: [
        {
          ...folder,
          ...inApp,
          identity: "app/src",
          applied: {},
          dependencies: [],
        },
      ],
    },
  },
  {
    name: "content that changed its container while recorded does not end with the first",
    objects: [folder, ready],
    entries: [
      begin("create", { subject: { ...inApp, address: src, identity: "app/src" } }),
      end("success"),
      begin({ kind: "delete", ...endsWeb }),
      end("success"),
    ],
    gives: {
      objects: [{ ...folder, ...inApp, identity: "app/src", applied: {}, dependencies: [] }],
    },
  },
  {
    name: "rule contentEnds off: content outlives its container",
    rules: { contentEnds: false },
    objects: [folder, ready],
    entries: [begin({ kind: "delete", ...endsWeb }), end("success")],
    gives: { objects: [folder] },
  },
];

const updates: readonly Row[] = [
  {
    name: "an update that succeeded joins what was applied and what was read",
    objects: [ready],
    entries: [
      begin("update", { record: { applied: { name: "new" } } }),
      end("success", { attributes: { name: "new" } }),
    ],
    gives: {
      objects: [
        {
          ...ready,
          applied: { id: "web", name: "new" },
          attributes: { ...ready.attributes, name: "new" },
        },
      ],
    },
  },
  {
    name: "an update that failed is not applied, and what was read counts",
    objects: [ready],
    entries: [
      begin("update", { record: { applied: { name: "new" } } }),
      end("failed", { attributes: { name: "other" } }),
    ],
    gives: { objects: [{ ...ready, attributes: { ...ready.attributes, name: "other" } }] },
  },
  {
    name: "a word without inputs leaves an import without applied inputs",
    objects: [{ ...ready, applied: null }],
    entries: [begin("power"), end("success", { attributes: { power_state: "off" } })],
    gives: {
      objects: [{ ...ready, applied: null, attributes: { id: "web", power_state: "off" } }],
    },
  },
  {
    name: "an update of what is not recorded records nothing",
    entries: [begin("update"), end("success", { attributes: { name: "new" } })],
    gives: { objects: [] },
  },
];

const restores: readonly Row[] = [
  {
    name: "a restore is owed from the first begin that names it",
    objects: [ready],
    entries: [begin("power", { record: { restore: "on" } })],
    gives: { restores: [owes(web, "on")] },
  },
  {
    name: "a restore that is owed already is kept: the first power is the one to return to",
    objects: [ready],
    restores: [owes(web, "suspended")],
    entries: [begin("power", { record: { restore: "off" } })],
    gives: { restores: [owes(web, "suspended")] },
  },
  {
    name: "a restore outlives the end of the word that named it, failed or not",
    objects: [ready],
    entries: [begin("power", { record: { restore: "on" } }), end("success")],
    gives: { restores: [owes(web, "on")] },
  },
  {
    name: "a restore outlives its object's delete",
    objects: [ready],
    entries: [begin("delete", { record: { restore: "on" } }), end("success")],
    gives: { objects: [], restores: [owes(web, "on")] },
  },
  {
    name: "the last word settles it when it succeeded",
    objects: [ready],
    restores: [owes(app, "on"), owes(web, "on")],
    entries: [begin("power", { record: { settlesRestore: true } }), end("success")],
    gives: { restores: [owes(app, "on")] },
  },
  {
    name: "recovery that saw the last word's effect settles it as well",
    objects: [ready],
    restores: [owes(web, "on")],
    entries: [
      begin("power", { record: { settlesRestore: true } }),
      { ...end("success"), kind: "closed" },
    ],
    gives: { restores: [] },
  },
  ...(["failed", "unknown"] as const).map(
    (outcome): Row => ({
      name: `the last word does not settle it when it ended ${outcome}`,
      objects: [ready],
      restores: [owes(web, "on")],
      entries: [begin("power", { record: { settlesRestore: true } }), end(outcome)],
      gives: { restores: [owes(web, "on")] },
    }),
  ),
  {
    name: "a read that shows the wanted power does not settle it",
    objects: [ready],
    restores: [owes(web, "on")],
    entries: [observed("found", { power_state: "on" })],
    gives: { restores: [owes(web, "on")] },
  },
  {
    name: "a note clears it",
    restores: [owes(web, "on")],
    entries: [note({ what: "clear-restore", address: web })],
    gives: { restores: [] },
  },
  {
    name: "rule restore off: nothing is owed",
    rules: { restore: false },
    objects: [ready],
    entries: [begin("power", { record: { restore: "on" } })],
    gives: { restores: [] },
  },
];

const readings: readonly Row[] = [
  {
    name: "what was read changes attributes, never what was applied",
    objects: [ready],
    entries: [observed("found", { name: "behind our back" })],
    gives: {
      objects: [{ ...ready, attributes: { ...ready.attributes, name: "behind our back" } }],
    },
  },
  {
    name: "rule appliedSeparate off: what was read counts as applied",
    rules: { appliedSeparate: false },
    objects: [ready],
    entries: [observed("found", { name: "behind our back" })],
    gives: {
      objects: [
        {
          ...ready,
          applied: { id: "web", name: "behind our back" },
          attributes: { ...ready.attributes, name: "behind our back" },
        },
      ],
    },
  },
  {
    name: "a tentative object that is found is ours",
    objects: [tentative],
    entries: [observed("found", {})],
    gives: { objects: [{ ...found, status: "ready" }] },
  },
  {
    name: "a missing object keeps its record: planning decides",
    objects: [ready],
    entries: [observed("missing")],
    gives: { objects: [ready] },
  },
  {
    name: "a tentative object that is missing stays tentative",
    objects: [tentative],
    entries: [observed("missing")],
    gives: { objects: [tentative] },
  },
  {
    name: "what is not recorded is not recorded by reading",
    entries: [observed("found", { name: "x" })],
    gives: { objects: [] },
  },
];

const moved = { ...ready, address: app };
const bookkeeping: readonly Row[] = [
  {
    name: "forget takes the record of that object key only",
    objects: [ready, { ...ready, objectKey: "deposed-1" }],
    entries: [note({ what: "forget", address: web, objectKey: "deposed-1" })],
    gives: { objects: [ready] },
  },
  {
    name: "record sets inputs, dependencies and time limits",
    objects: [ready],
    entries: [
      note({
        what: "record",
        address: web,
        applied: { name: "new" },
        dependencies: [app],
        timeoutsMs: { delete: 5 },
      }),
    ],
    gives: {
      objects: [
        {
          ...ready,
          applied: { id: "web", name: "new" },
          dependencies: [app],
          timeoutsMs: { delete: 5 },
        },
      ],
    },
  },
  {
    name: "record gives an import its inputs",
    objects: [{ ...ready, applied: null }],
    entries: [
      note({
        what: "record",
        address: web,
        applied: { name: "new" },
        dependencies: [],
        timeoutsMs: {},
      }),
    ],
    gives: { objects: [{ ...ready, applied: { name: "new" }, dependencies: [] }] },
  },
  {
    name: "a move renames the object and what depends on it, all object keys, in order",
    objects: [folder, ready, { ...ready, objectKey: "deposed-1" }],
    entries: [move(web, app)],
    gives: {
      objects: [{ ...folder, dependencies: [app] }, moved, { ...moved, objectKey: "deposed-1" }],
    },
  },
  {
    name: "a move takes the restore along",
    objects: [ready],
    restores: [owes(db, "on"), owes(web, "suspended")],
    entries: [move(web, app)],
    gives: { objects: [moved], restores: [owes(app, "suspended"), owes(db, "on")] },
  },
  {
    name: "a moved container still ends its content",
    objects: [folder, ready],
    entries: [
      move(web, app),
      begin({ kind: "delete", ...endsWeb }, { subject: { address: app } }),
      end("success"),
    ],
    gives: { objects: [] },
  },
  {
    name: "moved content still ends with its container",
    objects: [folder, ready],
    entries: [
      move(src, at("daemon_shared_folder.other")),
      begin({ kind: "delete", ...endsWeb }),
      end("success"),
    ],
    gives: { objects: [] },
  },
  {
    name: "outputs are replaced as a whole",
    entries: [
      note({ what: "outputs", outputs: [{ name: "ip", value: "10.0.0.1", sensitive: false }] }),
      note({ what: "outputs", outputs: [{ name: "id", value: 7, sensitive: true }] }),
    ],
    gives: { outputs: [{ name: "id", value: 7, sensitive: true }] },
  },
];

const groups = {
  runs,
  openings,
  creates,
  triggers,
  ends,
  updates,
  restores,
  readings,
  bookkeeping,
};

for (const [group, rows] of Object.entries(groups)) {
  test.each(rows)(`${group}: $name`, ({ objects = [], restores: owed = [], ...row }) => {
    const state: RecordedState = { ...emptyState, objects, restores: owed };
    const folded = foldAll(state, row.entries, { ...allRules, ...row.rules });
    expect(folded).toMatchObject({ ...row.gives, journal: { position: row.entries.length } });
    // `toMatchObject` forgives members that should be gone.
    if (row.gives.objects !== undefined) expect(folded.objects).toEqual(row.gives.objects);
    if (row.gives.open !== undefined) expect(folded.open).toEqual(row.gives.open);
    if (row.gives.restores !== undefined) expect(folded.restores).toEqual(row.gives.restores);
  });
}

test.each([
  ["the first create of what is named", [forWeb], begin("create"), undefined],
  ["a create over one that is recorded, and was missing", [forWeb, ready], begin("create"), web],
  [
    "its own create",
    [due, ready],
    begin(
      { kind: "create", triggers: [{ address: web }] },
      { subject: { address: app, identity: "app" } },
    ),
    undefined,
  ],
] as const)("triggers: what is owed after %s", (_what, objects, entry, triggeredBy) => {
  const folded = foldAll({ ...emptyState, objects }, [entry, end("success")]);
  const object = folded.objects.find(({ address }) => address === app);
  expect(object?.triggers).toEqual([{ address: web }]);
  expect(object?.triggeredBy).toBe(triggeredBy);
});
