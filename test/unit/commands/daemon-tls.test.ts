/** A daemon behind https: what the refusal of its certificate advises is taken by its settings. */

import { connect } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { afterEach, expect, test } from "vitest";
import { certificate, type Listening, listen, pathOf, pem } from "../http/tls-servers.ts";
import { type Workplace, workplace } from "./command-line.ts";

const opened: Listening[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

/** The simulated daemon with a self-signed certificate before it. */
async function secured(): Promise<{ readonly place: Workplace; readonly origin: string }> {
  const place = await workplace({ daemon: { vms: { app: { power: "on" } } } });
  const { port } = new URL(place.daemon.origins.daemon);
  const server = createTlsServer({ cert: pem("self"), key: pem("key") }, (socket) => {
    const onward = connect(Number(port), "127.0.0.1");
    socket.on("error", () => onward.destroy());
    onward.on("error", () => socket.destroy());
    socket.pipe(onward).pipe(socket);
  });
  const listening = await listen(server, "https");
  opened.push(listening);
  return { place, origin: listening.origin };
}

function configure({ place, origin }: Awaited<ReturnType<typeof secured>>, settings: string): void {
  const provider = `providers: { daemon: { url: "${origin}"${settings} } }\n`;
  const resource = "resources: { daemon_vm.app: { id: app, power: on } }\n";
  const imports = "imports: [{ to: daemon_vm.app, id: app }]\n";
  place.write({ "main.vmform.yaml": `${provider}${resource}${imports}` });
}

test("the fingerprint is set just as the refusal prints it", async () => {
  const daemon = await secured();
  configure(daemon, "");
  const refused = await daemon.place.run("plan");
  expect(refused.code).toBe(1);
  const advised = /thumbprint: "[0-9A-F:]+"/.exec(`${refused.stdout}${refused.stderr}`);
  expect(advised?.[0]).toBe(`thumbprint: "${certificate("self").fingerprint256}"`);
  configure(daemon, `, ${advised?.[0]}`);
  expect(await daemon.place.run("apply", "--auto-approve")).toMatchObject({ code: 0 });
  expect(await daemon.place.run("drift", "--no-unmanaged")).toMatchObject({ code: 0 });
});

test.each([
  ["the certificate as an authority", `, ca_file: "${pathOf("self")}"`, 0],
  ["no check at all", ", allow_unverified_ssl: true", 0],
  ["the fingerprint of another", `, thumbprint: "${certificate("server").fingerprint}"`, 1],
  ["a file that is not there", ", ca_file: nowhere.pem", 1],
])("%s", async (_what, settings, code) => {
  const daemon = await secured();
  configure(daemon, settings);
  expect(await daemon.place.run("plan")).toMatchObject({ code });
});
