/** Observing a VM: by its path, or by what its configuration names it. */

import { closestName } from "../../../lib/text.ts";
import { RemoteError } from "../../../model/operation/remote-error.ts";
import type { Observation, UnreadableReason, Wanted } from "../../../model/provider/observation.ts";
import type { Attributes, Value } from "../../../model/value/value.ts";
import { count, failed, missing } from "../../kit/reading.ts";
import { orElse } from "../../kit/refusal.ts";
import type { CloudClient, QueryRecord } from "../client/client.ts";
import { isSince } from "../client/versions.ts";
import { vmIn } from "../vm/names.ts";
import { isGone } from "../vm/task.ts";
import { powerOfVm, unknownPower, type VmDocument } from "../vm/vm-document.ts";
import { describeRecord, powerOfRecord, recordAttributes } from "../vm/vm-record.ts";
import { absentVm } from "./absence.ts";
import type { VmList } from "./inventory.ts";
import { identityOf, type Pass } from "./pass.ts";

/** Attributes that only the VM itself tells. */
const nestedName = "nested_hv_enabled";
const hardwareName = "hardware_version";

export async function observeVm(pass: Pass, object: Wanted): Promise<Observation> {
  const path = identityOf(object);
  if (path === undefined) return lookUp(pass, object);
  const record = await pass.inventory.byPath(path);
  if (record === undefined) return absentVm(pass, path, object);
  const mismatch = mismatchOf(record, object, path);
  return mismatch === undefined ? found(pass, object, path, record) : mismatch;
}

/** Of several with one name none is taken: which one is meant, only a person knows. */
async function lookUp(pass: Pass, object: Wanted): Promise<Observation> {
  const { name, vapp_name: vapp } = vmIn(object.lookup ?? {});
  if (name === undefined) return failed("neither href nor name says which VM is meant");
  const named = await pass.inventory.byName(name);
  const matches = named.filter(
    ({ attributes }) => vapp === undefined || attributes.containerName === vapp,
  );
  const [match, ...more] = matches;
  const where = vapp === undefined ? "" : ` in vApp ${JSON.stringify(vapp)}`;
  const quoted = `${JSON.stringify(name)}${where}`;
  if (match?.href === undefined) {
    const all = await pass.inventory.all();
    const others = named.map((record) => describeRecord(record)).join("; ");
    const elsewhere = named.length === 0 ? alikeIn(all, name) : `; there is ${others}`;
    const listed = count(all.size);
    const list = `the complete list of ${listed}, which has none of templates`;
    return missing(`no VM is named ${quoted} in ${list}${elsewhere}`);
  }
  if (more.length === 0) return found(pass, object, match.href, match);
  const way = vapp === undefined ? "vapp_name or href" : "href";
  const lines = matches.map((record) => describeRecord(record));
  return {
    status: "unreadable",
    rule: "failed",
    reason: `${matches.length} VMs are named ${quoted}; set ${way}`,
    matches: lines,
  };
}

/** The VM whose name is nearly that. */
function alikeIn(all: VmList, name: string): string {
  const names = [...all.values()].flatMap(({ attributes }) => attributes.name ?? []);
  const closest = closestName(name, names);
  return closest === undefined ? "" : `; there is one named ${JSON.stringify(closest)}`;
}

/** What is looked up by its href may be named too; then both must hold. */
function mismatchOf(
  { attributes }: QueryRecord,
  object: Wanted,
  path: string,
): Observation | undefined {
  const { name, vapp_name: vapp } = vmIn(object.lookup ?? {});
  for (const [what, wanted, shown] of [
    ["the VM", name, attributes.name],
    ["its vApp", vapp, attributes.containerName],
  ] as const) {
    if (wanted === undefined || wanted === shown) continue;
    const proof = `at ${path}, ${what} is named ${JSON.stringify(shown ?? "")}`;
    return missing(`${proof}, not ${JSON.stringify(wanted)}`);
  }
  return undefined;
}

async function found(
  pass: Pass,
  object: Wanted,
  path: string,
  record: QueryRecord,
): Promise<Observation> {
  const listed = recordAttributes(record, path);
  const { name = path } = vmIn(listed);
  const recordPower = powerOfRecord(record);
  const asks = needsVm(pass.client, object, listed) || recordPower === "deployment";
  const answer = asks ? await askVm(pass, path) : undefined;
  if (answer instanceof RemoteError && isGone(answer)) {
    const { size } = await pass.inventory.all();
    return failed(
      `VM ${name} is in the list of ${size} VMs, but the user of this session may not read it ` +
        `(${path}): rights were lost; an administrator can give them back`,
    );
  }
  const document = answer instanceof RemoteError ? undefined : answer;
  const power = document === undefined ? recordPower : powerOfVm(document);
  if (power === undefined || power === "deployment") {
    if (answer instanceof RemoteError) return failed(answer.message);
    return failed(unknownPower(name, document?.status ?? record.attributes.status ?? ""));
  }
  const attributes: { [name: string]: Value } = { ...listed, power_state: power };
  const unreadable = unreadableOf(pass, object, listed);
  addOwn(pass, object, { answer, attributes, unreadable });
  const reasons = reasonsOf(pass, unreadable, answer);
  return { status: "found", identity: path, attributes, unreadable, ...reasons };
}

type Unreadable = { [attribute: string]: UnreadableReason };

/** Nested virtualization is nowhere before API 5.1, so there the VM is not asked for it. */
export function needsVm(
  { apiVersion }: Pick<CloudClient, "apiVersion">,
  { attributes }: Wanted,
  listed: Attributes,
): boolean {
  if (attributes.includes(nestedName) && isSince(apiVersion, "5.1")) return true;
  return attributes.includes(hardwareName) && listed[hardwareName] === undefined;
}

function askVm(pass: Pass, path: string): Promise<VmDocument | RemoteError> {
  return orElse(
    () => pass.vm(path),
    (error) => error,
  );
}

/** The datastore is shown to system administrators alone (wire facts A.3.1). */
function unreadableOf(pass: Pass, object: Wanted, listed: Attributes): Unreadable {
  const unreadable: Unreadable = {};
  if (listed.datastore === undefined) {
    unreadable.datastore = pass.client.who.isSystem ? "failed" : "by rule";
  }
  if (object.attributes.includes(nestedName)) unreadable[nestedName] = "by rule";
  return unreadable;
}

/** What the VM itself said. A flag that is absent, as while a VM is being made, is not false. */
function addOwn(
  pass: Pass,
  object: Wanted,
  own: {
    readonly answer: VmDocument | RemoteError | undefined;
    readonly attributes: { [name: string]: Value };
    readonly unreadable: Unreadable;
  },
): void {
  const { answer, attributes, unreadable } = own;
  if (answer instanceof RemoteError) {
    for (const name of [nestedName, hardwareName]) {
      const asked = object.attributes.includes(name) && attributes[name] === undefined;
      if (asked && (name !== nestedName || isSince(pass.client.apiVersion, "5.1"))) {
        unreadable[name] = "failed";
      }
    }
    return;
  }
  if (answer?.nested !== undefined) {
    attributes[nestedName] = answer.nested;
    delete unreadable[nestedName];
  }
  if (answer?.hardwareVersion !== undefined) attributes[hardwareName] ??= answer.hardwareVersion;
}

/** What the VM itself answered, for what only it could have told. */
function reasonsOf(
  { client: { apiVersion } }: Pass,
  unreadable: Unreadable,
  answer: VmDocument | RemoteError | undefined,
): { readonly reasons?: { readonly [attribute: string]: string } } {
  if (unreadable[nestedName] === "by rule" && !isSince(apiVersion, "5.1")) {
    return { reasons: { [nestedName]: `API ${apiVersion} does not tell it; it came with 5.1` } };
  }
  if (!(answer instanceof RemoteError)) return {};
  const hidden = [nestedName, hardwareName].filter((name) => unreadable[name] === "failed");
  return { reasons: Object.fromEntries(hidden.map((name) => [name, answer.message])) };
}
