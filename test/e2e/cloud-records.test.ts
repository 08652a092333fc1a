/** Which VM of the cloud a record is about: saved plans, imports, moves, lookups, identities. */

import { writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { onlyInLongRun } from "../helpers/amount.ts";
import { type CloudPlace, createCloudPlace, isMutation, type Resources } from "./cloud-place.ts";

let place: CloudPlace;
beforeEach(async () => {
  place = await createCloudPlace();
});
afterEach(() => place.remove());

const a: Resources = { "cloud_vm.a": { name: "a" } };

async function apply(resources: Resources, more = {}): Promise<void> {
  place.write(resources, {}, more);
  await place.run(0, "apply", "--auto-approve");
}

async function mutations(work: () => Promise<unknown>): Promise<readonly string[]> {
  const sent = await place.logged(work);
  return sent.filter(isMutation).map(({ method, path }) => `${method} ${path}`);
}

async function expectConverged(): Promise<void> {
  const { stdout } = await place.run(0, "plan", "--detailed-exitcode");
  expect(stdout).toContain("No changes.");
  await place.run(0, "drift");
}

/** As it is recorded. */
async function identityOf(address: string): Promise<string> {
  const { stdout } = await place.run(0, "state", "show", address);
  return /identity\W+(\/[^\s"]+)/.exec(stdout)?.[1] ?? stdout;
}

/** All that a run said which ended so. */
async function said(code: number, ...words: readonly string[]): Promise<string> {
  const { stdout, stderr } = await place.run(code, ...words);
  return `${stdout}\n${stderr}`;
}

test("a saved plan moves VMs once, and is refused the second time", async () => {
  place.write({ "cloud_vm.a": { name: "a", datastore: "fast" }, "cloud_vm.e": { name: "e" } });
  const plan = place.file("a.plan");
  await place.run(0, "plan", "--out", plan);
  const once = await mutations(() => place.run(0, "apply", plan));
  expect(once).toEqual([`POST ${place.pathOf("a")}/action/relocate`]);
  const again = await mutations(async () => {
    const { stderr } = await place.run(1, "apply", plan);
    expect(stderr).toMatch(/applied already|since/);
  });
  expect(again).toEqual([]);
  await expectConverged();
});

test("a saved plan leaves alone what somebody has done meanwhile", onlyInLongRun, async () => {
  place.write({ "cloud_vm.a": { name: "a", datastore: "fast" } });
  await place.run(0, "plan", "--out", place.file("a.plan"));
  await place.change({ move_cloud_vm: { vm: "a", datastore: "fast" } });
  const sent = await mutations(() => place.run(0, "apply", place.file("a.plan")));
  expect(sent).toEqual([]);
  await expectConverged();
});

describe("import", () => {
  test.each<[string, (path: string) => string]>([
    ["a path", (path) => path],
    ["a link", (path) => `${place.simulators.origins.cloud}${path}`],
    ["a link of another host", (path) => `https://inside.example:8443${path}`],
    ["a bare id", (path) => path.slice(path.lastIndexOf("/") + 1)],
  ])("by %s", async (_what, idOf) => {
    place.write(a);
    const sent = await mutations(() =>
      place.run(0, "import", "cloud_vm.a", idOf(place.pathOf("a"))),
    );
    expect(sent).toEqual([]);
    expect(await identityOf("cloud_vm.a")).toBe(place.pathOf("a"));
    await expectConverged();
  });

  test("of a VM that is not there, and of what is no VM", async () => {
    place.write(a);
    const absent = "vm-00000000-0000-4000-8000-000000000000";
    const golden = place.pathOf("golden").replace("/vApp/", "/vAppTemplate/");
    for (const id of [absent, golden, "vapp-1", "nonsense"]) {
      expect(await said(1, "import", "cloud_vm.a", id)).toContain(id);
      place.write(a, {}, { imports: [{ to: "cloud_vm.a", id }] });
      expect(await said(1, "plan")).toContain(id);
    }
    expect((await place.run(0, "state", "list")).stdout).toBe("");
  });

  test("of another VM than the one that is looked up", onlyInLongRun, async () => {
    place.write(a, {}, { imports: [{ to: "cloud_vm.a", id: place.pathOf("e") }] });
    expect(await said(1, "plan")).toContain("PLN018");
    expect(await said(1, "import", "cloud_vm.a", place.pathOf("e"))).toContain("not what");
    expect((await place.run(0, "state", "list")).stdout).toBe("");
  });

  test("of a snapshot that somebody made, named by its VM", onlyInLongRun, async () => {
    await place.change({ snapshot_cloud_vm: { vm: "a" } });
    await apply(a);
    const imports = [{ to: "cloud_snapshot.s", id: place.pathOf("a") }];
    const resources = { ...a, "cloud_snapshot.s": { vm: "${cloud_vm.a.href}" } };
    expect(await mutations(() => apply(resources, { imports }))).toEqual([]);
    expect(await identityOf("cloud_snapshot.s")).toMatch(/\/snapshot\/2\d{3}-/);
    await expectConverged();
    place.write(a);
    const sent = await mutations(() =>
      place.run(0, "apply", "--auto-approve", "--allow", "destroy"),
    );
    expect(sent).toEqual([`POST ${place.pathOf("a")}/action/removeAllSnapshots`]);
    await expectConverged();
  });

  test("of a snapshot whose VM the configuration names by reference", async () => {
    await place.change({ snapshot_cloud_vm: { vm: "a" } });
    await place.change({ snapshot_cloud_vm: { vm: "b" } });
    const snapshot = { "cloud_snapshot.s": { vm: "${cloud_vm.a.href}" } };
    const resources = { ...a, ...snapshot };
    place.write(resources);
    // Nobody knows yet which VM is meant.
    const unknown = await said(1, "import", "cloud_snapshot.s", place.pathOf("a"));
    expect(unknown).toContain("Import what it refers to first");
    await place.run(0, "import", "cloud_vm.a", place.pathOf("a"));
    const refused = await said(1, "import", "cloud_snapshot.s", place.pathOf("b"));
    expect(refused).toContain(`is ${place.pathOf("a")}/snapshot, not ${place.pathOf("b")}`);
    await place.run(0, "import", "cloud_snapshot.s", place.pathOf("a"));
    const identity = await identityOf("cloud_snapshot.s");
    expect(identity).toMatch(/\/snapshot\/2\d{3}-/);
    expect(await mutations(() => apply(resources))).toEqual([]);
    await expectConverged();
    // As it is recorded, and not under a second address.
    await place.run(0, "state", "rm", "cloud_snapshot.s");
    await place.run(0, "import", "cloud_snapshot.s", identity);
    await place.run(0, "state", "rm", "cloud_snapshot.s");
    expect(
      await mutations(() =>
        apply(resources, { imports: [{ to: "cloud_snapshot.s", id: identity }] }),
      ),
    ).toEqual([]);
    await expectConverged();
    place.write({ ...resources, "cloud_snapshot.t": { vm: place.pathOf("a") } });
    const twice = await said(1, "import", "cloud_snapshot.t", place.pathOf("a"));
    expect(twice).toContain("recorded already, as cloud_snapshot.s");
  });

  test(
    "of all writes what planning adopts without a change, templates left out",
    onlyInLongRun,
    async () => {
      // Two with one name, which only the vApp or the link tells apart.
      await place.change({ add_cloud_vm: { vm: "a2", vapp: "lab", name: "a", power: "off" } });
      await place.change({ power_cloud_vm: { vm: "c", power: "suspended" } });
      place.write({ "cloud_vm.known": { name: "b" } });
      await place.run(0, "apply", "--auto-approve");
      const { stdout } = await place.run(0, "import", "--all", "cloud_vm");
      expect(stdout).not.toContain("golden");
      writeFileSync(place.file("found.vmform.yaml"), stdout);
      const planned = await place.run(2, "plan", "--detailed-exitcode");
      expect(planned.stdout).toMatch(
        /Plan: 5 to (import|adopt), 0 to add, 0 to change, 0 to destroy\./,
      );
      expect(await mutations(() => place.run(0, "apply", "--auto-approve"))).toEqual([]);
      await expectConverged();
      expect((await place.run(0, "state", "list")).stdout.trim().split("\n")).toHaveLength(6);
      expect((await place.run(0, "import", "--all", "cloud_vm")).stdout).toBe("");
    },
  );
});

describe("a record at another address", () => {
  const snapshot = (vm: string): Resources => ({
    "cloud_snapshot.s": { vm: `\${cloud_vm.${vm}.href}`, name: "kept" },
  });

  beforeEach(() => apply({ ...a, ...snapshot("a") }));

  test("by state mv", async () => {
    await place.run(0, "state", "mv", "cloud_vm.a", "cloud_vm.z");
    place.write({ "cloud_vm.z": { name: "a" }, ...snapshot("z") });
    expect(await identityOf("cloud_vm.z")).toBe(place.pathOf("a"));
    await expectConverged();
  });

  test("by moved", async () => {
    const moved = [{ from: "cloud_vm.a", to: "cloud_vm.z" }];
    const sent = await mutations(() =>
      apply({ "cloud_vm.z": { name: "a" }, ...snapshot("z") }, { moved }),
    );
    expect(sent).toEqual([]);
    expect(await identityOf("cloud_vm.z")).toBe(place.pathOf("a"));
    await expectConverged();
  });

  test("by neither: the plan prints the entry that is missing", onlyInLongRun, async () => {
    place.write({ "cloud_vm.z": { name: "a" }, ...snapshot("z") });
    const text = await said(1, "plan");
    expect(text).toContain("PLN003");
    expect(text).toContain("moved: [{ from: 'cloud_vm.a', to: 'cloud_vm.z' }]");
  });
});

test("one VM under two addresses is an error that names both", async () => {
  const twice = { "cloud_vm.one": { name: "a" }, "cloud_vm.two": { href: place.pathOf("a") } };
  place.write(twice);
  const text = await said(1, "plan");
  expect(text).toMatch(/cloud_vm\.one[^]*cloud_vm\.two|cloud_vm\.two[^]*cloud_vm\.one/);
  await apply(a);
  place.write({ ...a, "cloud_vm.two": { href: place.pathOf("a") } });
  expect(await said(1, "plan")).toContain("cloud_vm.two");
  expect(await mutations(() => place.run(1, "apply", "--auto-approve"))).toEqual([]);
});

describe("a lookup counts until an identity is recorded", () => {
  test("a VM renamed outside stays the one it was; its name is drift", async () => {
    await apply(a);
    await place.change({ rename_cloud_vm: { vm: "a", name: "renamed" } });
    const drift = await place.run(2, "drift");
    expect(drift.stdout).toContain("renamed");
    const sent = await mutations(() => place.run(0, "plan"));
    expect(sent).toEqual([]);
    expect(await mutations(() => place.run(0, "apply", "--auto-approve"))).toEqual([]);
    expect(await identityOf("cloud_vm.a")).toBe(place.pathOf("a"));
  });

  test("another name in the configuration finds another VM, with consent", async () => {
    await apply(a);
    place.write({ "cloud_vm.a": { name: "e" } });
    expect(await said(1, "apply", "--auto-approve")).toContain("--allow readopt");
    expect(await identityOf("cloud_vm.a")).toBe(place.pathOf("a"));
    const sent = await mutations(() =>
      place.run(0, "apply", "--auto-approve", "--allow", "readopt"),
    );
    expect(sent).toEqual([]);
    expect(await identityOf("cloud_vm.a")).toBe(place.pathOf("e"));
    await expectConverged();
  });

  test(
    "another name in the configuration and outside is the same VM, renamed",
    onlyInLongRun,
    async () => {
      await apply(a);
      await place.change({ rename_cloud_vm: { vm: "a", name: "new" } });
      place.write({ "cloud_vm.a": { name: "new" } });
      expect(await mutations(() => place.run(0, "apply", "--auto-approve"))).toEqual([]);
      expect(await identityOf("cloud_vm.a")).toBe(place.pathOf("a"));
      await expectConverged();
    },
  );

  test("one that is gone and made anew under its name is taken with consent", async () => {
    // Others stay, or all would seem to have vanished.
    await apply({ ...a, "cloud_vm.b": { name: "b" }, "cloud_vm.e": { name: "e" } });
    const gone = place.pathOf("a");
    await place.change({ delete_cloud_vm: { vm: "a" } });
    await place.change({ add_cloud_vm: { vm: "a-anew", vapp: "shop", name: "a" } });
    expect(await said(1, "apply", "--auto-approve")).toContain("--allow readopt");
    expect(await identityOf("cloud_vm.a")).toBe(gone);
    const sent = await mutations(() =>
      place.run(0, "apply", "--auto-approve", "--allow", "readopt"),
    );
    expect(sent).toEqual([]);
    expect(await identityOf("cloud_vm.a")).toBe(place.pathOf("a-anew"));
    await expectConverged();
  });

  test(
    "one that is gone and found nowhere blocks what depends on it, nothing else",
    onlyInLongRun,
    async () => {
      const all = { ...a, "cloud_vm.b": { name: "b" }, "cloud_vm.e": { name: "e" } };
      await apply({ ...all, "cloud_snapshot.s": { vm: "${cloud_vm.a.href}" } });
      await place.change({ delete_cloud_vm: { vm: "a" } });
      place.write({ ...all, "cloud_vm.e": { name: "e", datastore: "fast" } });
      expect(await said(1, "plan")).toContain("cloud_vm.a");
      const sent = await mutations(() =>
        place.run(1, "apply", "--auto-approve", "--allow-partial", "--allow", "destroy"),
      );
      expect(sent).toEqual([`POST ${place.pathOf("e")}/action/relocate`]);
    },
  );
});
