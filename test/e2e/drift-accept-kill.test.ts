/**
 * `drift --accept --write-config`, killed with SIGKILL at each thing that it does to a file: the
 * configuration is the old or the new one, recorded state claims nothing that is not so, and the
 * same command given again ends with both.
 */

import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { onlyInLongRun, some } from "../helpers/amount.ts";
import { buildProgram } from "../helpers/build.ts";
import { endChildren, startChild } from "./child.ts";
import { createPlace, type Place } from "./place.ts";

const main = buildProgram();
const hook = new URL("./kill-hook.mjs", import.meta.url).href;
const words = ["drift", "--accept", "daemon_vm.web", "--accept", "daemon_vm.lone"];
const writing = [...words, "--write-config", "--auto-approve"];

/** Of some sixty at files: each takes a second. What is appended decides, so all of that is tried. */
const filePointsMax = 16;

const before = '  daemon_vm.web: { id: web, name: "Web", power: on } # front\n';
const lone = "resources: { daemon_vm.lone: { id: lone, name: Lone, power: on } }\n";

const both = { web: "Other", lone: "Else" };
const neither = { web: "Web", lone: "Lone" };

const places: Place[] = [];
afterEach(async () => {
  await endChildren();
  for (const place of places.splice(0)) await place.remove();
});

/** Two files, one of which is a link to a file elsewhere that others may read. */
async function drifted(): Promise<Place> {
  const place = await createPlace();
  places.push(place);
  place.write(before);
  const elsewhere = join(place.folder, "elsewhere");
  mkdirSync(elsewhere);
  const file = join(elsewhere, "main.vmform.yaml");
  renameSync(place.file("main.vmform.yaml"), file);
  chmodSync(file, 0o664);
  symlinkSync(file, place.file("main.vmform.yaml"));
  writeFileSync(place.file("more.vmform.yaml"), lone, { mode: 0o640 });
  await place.run(0, "apply", "--auto-approve");
  await place.simulators.change({ rename_vm: { id: "web", name: "Other" } });
  await place.simulators.change({ rename_vm: { id: "lone", name: "Else" } });
  return place;
}

type Names = { readonly web: string; readonly lone: string };

function configured(place: Place): Names {
  const text = readFileSync(place.file("main.vmform.yaml"), "utf8");
  const more = readFileSync(place.file("more.vmform.yaml"), "utf8");
  const web = text.includes('"Other"') ? "Other" : "Web";
  expect(text).toContain(before.replace('"Web"', JSON.stringify(web)));
  const other = more.includes("Else") ? "Else" : "Lone";
  expect(more).toBe(lone.replace("Lone", other));
  return { web, lone: other };
}

async function recorded(place: Place): Promise<Names> {
  const { stdout } = await place.run(0, "show", "--json");
  const nameOf = (id: string): string =>
    new RegExp(`"id":"${id}"[^}]*?"name":"(\\w+)"`).exec(stdout)?.[1] ?? "";
  return { web: nameOf("web"), lone: nameOf("lone") };
}

function kill(place: Place, at: object, report?: string) {
  const child = startChild(main.main, writing, {
    cwd: place.folder,
    node: ["--import", hook],
    environment: {
      KILL_AT: JSON.stringify(at),
      KILL_FOLDER: place.folder,
      ...(report === undefined ? {} : { KILL_REPORT: report }),
    },
  });
  return child.ended;
}

/** Before each file operation, in the middle of each file, and around what is appended. */
function pointsOf({ file, append }: { readonly file: number; readonly append: number }) {
  const each = (kind: string, count: number, phases: readonly string[]) =>
    Array.from({ length: count }, (_, index) => index + 1).flatMap((n) =>
      phases.map((phase) => ({ kind, n, phase })),
    );
  return [
    ...some(each("file", file, ["before", "torn"]), 1, filePointsMax),
    ...each("append", append, ["torn", "durable"]),
  ];
}

test("killed at any file operation, the same command ends it", onlyInLongRun, async () => {
  const first = await drifted();
  const report = join(first.folder, "elsewhere", "counts.json");
  const undisturbed = await kill(first, {}, report);
  expect(undisturbed).toMatchObject({ code: 0, stderr: "" });
  const seen = new Set<string>();
  for (const at of pointsOf(JSON.parse(readFileSync(report, "utf8")))) {
    const place = await drifted();
    const killed = await kill(place, at);
    // Not each of them writes a file whole.
    if (at.phase !== "torn" || at.kind === "append") {
      expect({ at, signal: killed.signal }).toEqual({ at, signal: "SIGKILL" });
    }
    if (killed.signal === null) continue;
    const [wanted, known] = [configured(place), await recorded(place)];
    seen.add(`${wanted.web} ${wanted.lone} ${known.web}`);
    const isRecorded = known.web === "Other";
    expect({ at, known }).toEqual({ at, known: isRecorded ? both : neither });
    // Nothing is recorded that the configuration does not want.
    if (isRecorded) expect({ at, wanted }).toEqual({ at, wanted: both });
    const again = await place.run(0, ...writing);
    if (isRecorded) expect(again.stdout).toContain("Recorded already");
    else if (wanted.web === "Other") expect(again.stdout).toContain("wants just that already");
    const after = { wanted: configured(place), known: await recorded(place) };
    expect({ at, ...after }).toEqual({ at, wanted: both, known: both });
    expect(lstatSync(place.file("main.vmform.yaml")).isSymbolicLink()).toBe(true);
    expect(statSync(place.file("main.vmform.yaml")).mode & 0o777).toBe(0o664);
    expect(statSync(place.file("more.vmform.yaml")).mode & 0o777).toBe(0o640);
    await place.run(0, "drift");
    await place.run(0, "plan", "--detailed-exitcode");
    const names = [...readdirSync(place.folder), ...readdirSync(place.file("elsewhere"))];
    if (!isRecorded) expect(names.filter((name) => name.endsWith(".tmp"))).toEqual([]);
  }
  // Nothing, one file, both files, and recorded as well.
  expect([...seen].toSorted()).toEqual([
    "Other Else Other",
    "Other Else Web",
    "Other Lone Web",
    "Web Lone Web",
  ]);
});
