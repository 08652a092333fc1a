/** Renaming a VM, by replacing its document or by reconfiguring. */

import { describe, expect, test } from "vitest";
import { attributeOf } from "../../../../../src/lib/xml/xml.ts";
import type { CloudDocument } from "../../../../../src/simulators/cloud/world/world-document.ts";
import type { Client, Reply, SendOptions } from "../cloud-client.ts";
import { cloudWith, errorOf, instant, neutral, vappPath, vmPath } from "../cloud-client.ts";

const cloud: CloudDocument = {
  durations_ms: instant,
  vapps: { shop: { vms: { web: { description: "old" }, db: {} } } },
};

function vmBody(attributes: string, children = ""): SendOptions {
  const body = `<Vm xmlns="${neutral.namespace}" ${attributes}>${children}</Vm>`;
  return { type: "vm", body };
}

function webOf(client: Client) {
  return client.simulators.world().cloud.vms.find((vm) => vm.key === "web");
}

const ways: readonly (readonly [string, (client: Client, body: SendOptions) => Promise<Reply>])[] =
  [
    ["PUT", (client, body) => client.send(`PUT ${vmPath(client, "web")}`, body)],
    [
      "reconfigureVm",
      (client, body) => client.send(`POST ${vmPath(client, "web")}/action/reconfigureVm`, body),
    ],
  ];

describe.each(ways)("%s", (_name, send) => {
  test("gives another name and description, by a task", async () => {
    const client = await cloudWith({ ...cloud, durations_ms: { update: 50 } });
    const reply = await send(client, vmBody('name="R&amp;D 1"', "<Description>new</Description>"));
    expect([reply.status, attributeOf(reply.root, "operationName")]).toEqual([202, "vappUpdateVm"]);
    expect(webOf(client)).toMatchObject({ name: "web", description: "old" });
    client.simulators.clock.advance(50);
    expect(webOf(client)).toMatchObject({ name: "R&D 1", description: "new" });
  });

  test("keeps a description that is not written", async () => {
    const client = await cloudWith(cloud);
    await send(client, vmBody('name="x"'));
    expect(webOf(client)).toMatchObject({ name: "x", description: "old" });
  });

  test.each<readonly [string, SendOptions, number]>([
    ["no name", vmBody(""), 400],
    ["an empty name", vmBody('name=" "'), 400],
    ["another type", { ...vmBody('name="x"'), type: "vApp" }, 415],
    ["another element", { type: "vm", body: `<VApp xmlns="${neutral.namespace}"/>` }, 400],
  ])("%s is refused", async (_case, body, status) => {
    const client = await cloudWith(cloud);
    expect(errorOf(await send(client, body))[0]).toBe(status);
    expect(client.simulators.log().at(-1)?.violation).toBeDefined();
    expect(webOf(client)?.name).toBe("web");
  });

  test("waits for other work in the vApp", async () => {
    const client = await cloudWith({ ...cloud, durations_ms: {} });
    await client.simulators.change({ start_cloud_task: { vm: "db", duration_ms: 10 } });
    expect(errorOf(await send(client, vmBody('name="x"')))[1]).toBe("BUSY_ENTITY");
    client.simulators.clock.advance(10);
    expect((await send(client, vmBody('name="x"'))).status).toBe(202);
  });
});

test("1.5 replaces, but does not reconfigure; a vApp is not renamed", async () => {
  const client = await cloudWith(cloud, { version: "1.5" });
  const body = vmBody('name="x"');
  const path = `${vmPath(client, "web")}/action/reconfigureVm`;
  expect((await client.send(`POST ${path}`, body)).status).toBe(404);
  expect((await client.send(`PUT ${vmPath(client, "web")}`, body)).status).toBe(202);
  expect((await client.send(`PUT ${vappPath(client, "shop")}`, body)).status).toBe(400);
});
