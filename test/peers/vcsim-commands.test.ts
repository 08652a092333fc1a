/**
 * The whole command line on a configuration of host management, against vcsim. It leaves the files of
 * a VM that it moves where they were, and lists both datastores once a disk of the VM changes: a
 * server that moves nothing is no server, so one VM moves here and another one grows.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { expectCode, type Output, runInside } from "../helpers/program.ts";
import { textAt } from "./soap-peer.ts";
import { hasAlarms, idOf, isAbsent, lacks, useVcsim, vmName } from "./suite.ts";
import { password, startVcsim, user } from "./vcsim.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "vmform-peer-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(origin: string, blocks: string): void {
  const settings = `url: "${origin}", user: ${user}, password: { env: MANAGER_PASSWORD }`;
  const text = `providers: { manager: { ${settings} } }\n${blocks}`;
  writeFileSync(join(folder, "main.vmform.yaml"), text);
}

async function run(code: number, ...words: readonly string[]): Promise<Output> {
  const environment = { MANAGER_PASSWORD: password };
  const output = expectCode(code, words, await runInside(folder, words, { environment }));
  expect(`${output.stdout}${output.stderr}`).not.toContain(password);
  return output;
}

const apply = (...words: readonly string[]) => run(0, "apply", "--auto-approve", ...words);
const consent = ["--allow", "power-cycle,grow"];

/** Everything is as it is wanted, and is known to be. */
async function expectConverged(): Promise<void> {
  await run(0, "plan", "--detailed-exitcode");
  await run(0, "drift");
}

/** As somebody else would write it, with what servers make of it. */
function specOf(name: string, watched: string): string {
  return (
    `<spec><name>${name}</name><description>Alarm to track DOMAIN\\root login</description>` +
    '<enabled>true</enabled><expression xsi:type="OrAlarmExpression">' +
    '<expression xsi:type="EventAlarmExpression"><comparisons><attributeName>userName' +
    `</attributeName><operator>equals</operator><value>${watched}</value></comparisons>` +
    "<eventType>UserLoginSessionEvent</eventType><objectType>HostSystem</objectType>" +
    "<status>red</status></expression></expression></spec>"
  );
}

describe.skipIf(isAbsent)("the command line against vcsim", () => {
  const { open, peer, vcsim } = useVcsim();

  const machines = `
resources:
  manager_vm.web: { name: ${vmName(10)}, nested_hv_enabled: true, power: on }
  manager_disk.data: { vm: "\${manager_vm.web.moref}", disk_id: "204", size_gb: 24 }
  manager_vm.db: { path: DC0/vm/${vmName(11)}, datastore: LocalDS_1, power: off }
outputs:
  vm: { value: "\${manager_vm.web.moref}" }
`;

  test("VMs and a disk converge, drift, and converge again", async () => {
    write(vcsim().origin, machines);
    const planned = await run(2, "plan", "--detailed-exitcode");
    expect(planned.stdout).toContain("3 to adopt, 0 to add, 3 to change, 0 to destroy");
    await apply(...consent, "--allow", "power-off");
    await expectConverged();
    const driver = await open();
    const [web, db] = [await idOf(driver, 10), await idOf(driver, 11)];
    expect(await run(0, "output")).toMatchObject({ stdout: expect.stringContaining(web) });
    expect(await driver.find("manager_vm", web, ["nested_hv_enabled"])).toMatchObject({
      attributes: { power_state: "on", nested_hv_enabled: true },
    });
    expect(await driver.find("manager_disk", `${web}/204`)).toMatchObject({
      attributes: { size_gb: 24 },
    });
    expect(await driver.find("manager_vm", db)).toMatchObject({
      attributes: { power_state: "off", datastore: "LocalDS_1" },
    });

    const other = await peer();
    const machine = "VirtualMachine";
    // Its guest has no tools, so a VM that is turned off by us would be waited for in vain first.
    await other.task("PowerOffVM_Task", machine, web);
    const unset = "<spec><nestedHVEnabled>false</nestedHVEnabled></spec>";
    await other.task("ReconfigVM_Task", machine, web, unset);
    const first = textAt(await other.property(machine, web, "datastore"), "ManagedObjectReference");
    const back = `<spec><datastore type="Datastore">${first}</datastore></spec>`;
    await other.task("RelocateVM_Task", machine, db, back);
    const drift = await run(2, "drift");
    expect(drift.stdout).toContain("nested_hv_enabled: recorded true, observed false");
    expect(drift.stdout).toMatch(/power_state: +recorded "on", observed "off"/);
    expect(drift.stdout).toContain('datastore: recorded "LocalDS_1", observed "LocalDS_0"');
    expect(drift.stdout).toContain("Drift: 2 drifted, 0 missing, 1 in sync");
    await apply();
    await expectConverged();
    expect((await driver.find("manager_vm", web)).attributes.power_state).toBe("on");
  });

  test("a VM that was deleted is told to be missing", async () => {
    const lookup = `{ name: ${vmName(12)}, power: on }`;
    write(vcsim().origin, `resources: { manager_vm.web: ${lookup} }\n`);
    await apply();
    await expectConverged();
    const id = await idOf(await open(), 12);
    const other = await peer();
    await other.task("PowerOffVM_Task", "VirtualMachine", id);
    await other.task("Destroy_Task", "VirtualMachine", id);
    expect((await run(2, "drift")).stdout).toContain("Drift: 0 drifted, 1 missing, 0 in sync");
    const planned = await run(1, "plan");
    expect(planned.stdout).toContain(`manager_vm.web: ${id} is gone: absent from the complete`);
    expect(planned.stdout).toContain(`No VM has name "${vmName(12)}" in the complete list`);
  });

  test("an alarm is made, drifts, is mended, and is removed", async (context) => {
    const other = await peer();
    if (!(await hasAlarms(other))) lacks(context, "has no alarms");
    write(
      vcsim().origin,
      'resources: { manager_login_alarm.root: { name: root in, user_name: "DOMAIN\\\\root" } }\n',
    );
    await apply();
    await expectConverged();
    const driver = await open();
    const { moref } = (await driver.find("manager_login_alarm", "root in")).attributes;
    if (typeof moref !== "string") throw new Error("the alarm has no id");
    await other.call("ReconfigureAlarm", "Alarm", moref, specOf("root in", "eve"));
    expect((await run(2, "drift")).stdout).toMatch(/user_name: +recorded "DOMAIN.*observed "eve"/);
    await apply();
    await expectConverged();
    await run(0, "destroy", "--auto-approve");
    expect((await driver.observe("manager_login_alarm", "root in")).status).toBe("missing");
  });

  test("logins are data", async () => {
    write(
      vcsim().origin,
      `data:
  manager_login_events.own: { user_name: ${user}, limit: 1 }
  manager_login_events.none: { user_name: nobody }
outputs:
  own: { value: "\${data.manager_login_events.own.events[0].ip_address}" }
  none: { value: "\${size(data.manager_login_events.none.events)}" }
`,
    );
    await apply();
    expect((await run(0, "output")).stdout).toMatch(/none: 0\n+own: "127\.0\.0\.1"/);
  });
});

describe.skipIf(isAbsent)("the command line against a single host of vcsim", () => {
  test("what it has not is no drift of what it has", async () => {
    const vcsim = await startVcsim(["-esx", "-vm", "2"]);
    try {
      write(vcsim.origin, "resources: { manager_vm.web: { name: ha-host_VM0, power: on } }\n");
      await apply();
      const { stdout, stderr } = await run(0, "drift");
      expect(`${stdout}${stderr}`).not.toContain("could not be listed");
      expect(stdout).toContain("No drift. 1 object in sync, 1 unmanaged.");
    } finally {
      await vcsim.stop();
    }
  });
});
