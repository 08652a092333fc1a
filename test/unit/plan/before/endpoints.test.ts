/** Another endpoint under the same provider name: what is told, what is asked, what is recorded. */

import { expect, test } from "vitest";
import type { Endpoint } from "../../../../src/model/recorded/endpoint.ts";
import type { RecordedState } from "../../../../src/model/recorded/recorded.ts";
import { recognize } from "../../../../src/plan/before/recognize.ts";
import { beginEntry } from "../../../helpers/recorded-builder.ts";
import { vmAddress } from "../../../simulation/configuration.ts";
import {
  changesOf,
  codesOf,
  configuration,
  consentOf,
  type Existing,
  existingFolder,
  existingVm,
  folder,
  inputOf,
  operationsOf,
  planOf,
  type Scene,
  vm,
} from "../planning.ts";

const here: Endpoint = { url: "http://127.0.0.1:18081" };
const there: Endpoint = { url: "http://127.0.0.1:18082" };
const known = (endpoint: Endpoint, instance: string): Endpoint => ({ ...endpoint, instance });

const a = vm("a", { power: "off" });
const both = configuration([a], [folder("f", "a")]);

function recordedAt(endpoint: Endpoint | undefined, seen: Parameters<typeof existingVm>[3] = {}) {
  const at = endpoint === undefined ? {} : { endpoint };
  return existingVm(a, "off", at, seen);
}

type Row = Pick<Scene, "wants" | "restores"> & {
  readonly name: string;
  readonly exists: readonly Existing[];
  readonly mode?: "apply" | "destroy" | "refresh";
  readonly present?: Endpoint;
  readonly codes?: readonly string[];
  readonly consent?: readonly string[];
  readonly changes?: readonly string[];
  readonly operations?: readonly string[];
  /** Addresses that are recorded at the present endpoint from then on. */
  readonly accepted?: readonly string[];
  readonly open?: RecordedState["open"];
};

const rows: readonly Row[] = [
  { name: "as recorded", exists: [recordedAt(here)], present: here },
  { name: "nothing is spoken to", exists: [recordedAt(undefined)] },
  {
    name: "one object, at another url",
    exists: [recordedAt(here)],
    present: there,
    codes: ["PLN031"],
    consent: ["endpoint a"],
    accepted: ["a"],
  },
  {
    name: "the same server at another url, by its own id: no change of endpoint",
    exists: [recordedAt(known(here, "one"))],
    present: known(there, "one"),
    accepted: ["a"],
  },
  {
    name: "another server at the same url, by its own id",
    exists: [recordedAt(known(here, "one"))],
    present: known(here, "two"),
    codes: ["PLN031"],
    consent: ["endpoint a", "readopt a"],
    changes: ["create a"],
    operations: ["a create"],
    accepted: ["a"],
  },
  {
    name: "the id of the server is told for the first time",
    exists: [recordedAt(here)],
    present: known(here, "one"),
    accepted: ["a"],
  },
  {
    name: "the id of the server is not told this time",
    exists: [recordedAt(known(here, "one"))],
    present: here,
  },
  {
    name: "destroy asks for more than destroy",
    exists: [recordedAt(here)],
    mode: "destroy",
    present: there,
    codes: ["PLN031"],
    consent: ["endpoint a", "destroy a"],
    changes: ["delete a"],
    operations: ["a delete"],
    accepted: ["a"],
  },
  {
    name: "a refresh asks as well",
    exists: [recordedAt(here)],
    mode: "refresh",
    present: there,
    codes: ["PLN031"],
    consent: ["endpoint a"],
    accepted: ["a"],
  },
  {
    name: "what is not there is made there, with consent",
    exists: [recordedAt(here, "missing")],
    present: there,
    codes: ["PLN031"],
    consent: ["endpoint a"],
    changes: ["create a"],
    operations: ["a create"],
    accepted: ["a"],
  },
  {
    name: "what could not be read stays recorded where it was",
    exists: [recordedAt(here, "failed")],
    present: there,
    codes: ["PLN031", "PLN005"],
    consent: ["endpoint a"],
  },
  {
    name: "content that is unreadable by rule goes with it",
    exists: [recordedAt(here), existingFolder(folder("f", "a"), { endpoint: here }, "unreadable")],
    wants: both,
    present: there,
    codes: ["PLN031"],
    consent: ["endpoint f", "endpoint a"],
    accepted: ["a", "f"],
  },
  {
    name: "owed power alone",
    exists: [],
    wants: configuration([]),
    restores: [{ address: vmAddress("a"), power: "on", at: { provider: "fake", ...here } }],
    present: there,
    codes: ["PLN031"],
    consent: ["endpoint a"],
    accepted: ["a"],
  },
  {
    name: "an operation that did not end",
    exists: [],
    wants: configuration([]),
    open: [beginEntry({ subject: { address: vmAddress("a"), provider: "fake" }, endpoint: here })],
    present: there,
    codes: ["PLN031"],
    consent: ["endpoint a"],
  },
];

test.each(rows)("$name", (row) => {
  const { exists, wants = configuration([a]), restores = [], mode = "apply", present } = row;
  const input = {
    mode,
    endpoints: new Map(present === undefined ? [] : [["fake", present]]),
  };
  const scene: Scene = { exists, wants, restores, allowed: [] };
  const { recorded } = inputOf(scene);
  const open = row.open ?? [];
  const { types, observations: read } = inputOf(scene);
  const observations = recognize(types, recorded.objects, read, input.endpoints);
  const whole = { ...input, observations, recorded: { ...recorded, open } };
  const plan = planOf({ ...scene, input: whole });
  expect(codesOf(plan)).toEqual(row.codes ?? []);
  expect(consentOf(plan)).toEqual(row.consent ?? []);
  expect(changesOf(plan)).toEqual(row.changes ?? []);
  expect(operationsOf(plan)).toEqual(row.operations ?? []);
  const accepted = plan.notes.flatMap(({ note }) =>
    note.what === "endpoint" ? [note.address.split(".")[1]] : [],
  );
  expect(accepted).toEqual(row.accepted ?? []);
});
