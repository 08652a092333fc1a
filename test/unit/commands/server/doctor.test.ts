/** `vmform doctor`: what it finds of a workspace and of an endpoint that a test scripts. */

import { expect, test } from "vitest";
import { doctorCommand } from "../../../../src/commands/server/doctor.ts";
import { RemoteError, type RemoteErrorKind } from "../../../../src/model/operation/remote-error.ts";
import type { Check } from "../../../../src/model/provider/check.ts";
import type { ProviderSession } from "../../../../src/model/provider/provider.ts";
import { doctorText } from "../../../../src/render/state/doctor-text.ts";
import { displayColumns } from "../../../../src/render/text/styled-line.ts";
import { address, beginEntry } from "../../../helpers/recorded-builder.ts";
import { type FakeOptions, fakeEnvironment, recordedVm, stateOf } from "../fake-environment.ts";

const password = "password: { env: PASSWORD }";
const cloud = (more = ""): string =>
  `providers: { cloud: { url: "https://cloud.test", user: admin, ${password}${more} } }`;
const answers: Partial<ProviderSession> = {
  version: () => Promise.resolve("5.1"),
  list: (type) => Promise.resolve([{ type, identity: "/api/vApp/vm-1" }]),
};

async function examine(options: Partial<FakeOptions>): Promise<readonly Check[]> {
  const fake = fakeEnvironment({
    state: stateOf([]),
    holder: undefined,
    session: answers,
    files: { "main.vmform.yaml": cloud() },
    ...options,
  });
  const workspace = { directory: ".", variables: [], variableFiles: [] };
  return fake.clock.until(doctorCommand(fake.environment, workspace));
}

const named = (checks: readonly Check[], name: string): Check | undefined =>
  checks.find((check) => check.name === name);

test("all is well", async () => {
  const checks = await examine({ state: stateOf([recordedVm("cloud_vm.web")], { serial: 5 }) });
  const ok = (name: string, detail: string): Check => ({ name, status: "ok", detail });
  expect(checks).toEqual([
    ok("node", "version v20.19.0"),
    ok("configuration", "0 objects"),
    ok("folder", "state can be written"),
    ok("state", "1 object, serial 5"),
    ok("lock", "free"),
    ok("cloud: tls", "the certificate is checked by the authorities that Node.js knows"),
    ok("cloud: proxy", "none"),
    ok("cloud: session", "version 5.1, lists 1 of type cloud_vm, in 0 ms"),
  ]);
});

const open = beginEntry({
  id: "cloud_vm.web#relocate.1",
  subject: { address: address("cloud_vm.web"), type: "cloud_vm", provider: "cloud" },
});
const fault = (kind: RemoteErrorKind): Partial<ProviderSession> => ({
  list: () => Promise.reject(new RemoteError({ kind, effect: "none", message: "no" })),
});
const configured = (more: string): Partial<FakeOptions> => ({
  files: { "main.vmform.yaml": more },
});
const interrupted = stateOf([recordedVm("cloud_vm.web")], {
  open: [open],
  restores: [{ address: address("cloud_vm.web"), power: "on" }],
});
const holder = { id: "L1", operation: "apply", who: "ann", host: "h", pid: 7, createdMs: 1 };
const late = { ...answers, serverTime: () => Promise.resolve(-90_000) };

test.each<[Partial<FakeOptions>, string, Check["status"], RegExp, RegExp | undefined]>([
  [{ system: { nodeVersion: "v20.18.3" } }, "node", "failed", /20.19 is needed/, /Install/],
  [{ system: { nodeVersion: "v26.0.0" } }, "node", "ok", /v26/, undefined],
  [
    configured(`${cloud()}\nresources: { cloud_vm.web: { name: web, nmae: x } }`),
    "configuration",
    "failed",
    /^main.vmform.yaml:2: Unknown attribute \(CFG013\)$/,
    /validate/,
  ],
  [{ files: {} }, "configuration", "failed", /CFG041/, /validate/],
  [
    { system: { folderProblem: () => Promise.resolve("read-only") } },
    "folder",
    "failed",
    /^state cannot be written: read-only$/,
    /vmform.state.local.path/,
  ],
  [
    { state: stateOf([recordedVm("cloud_vm.web")], { simulated: true }) },
    "state",
    "failed",
    /recorded against a simulator/,
    /another state file/,
  ],
  [
    { state: interrupted },
    "state",
    "warning",
    /operations left open: 1; VMs owed their power: 1$/,
    /vmform apply/,
  ],
  [{ holder }, "lock", "warning", /^held by ann on h \(process 7, apply\)$/, /force-unlock L1/],
  [
    configured(cloud(", allow_unverified_ssl: true")),
    "cloud: tls",
    "warning",
    /not checked/,
    /thumbprint/,
  ],
  [configured(cloud(", ca_file: ca.pem")), "cloud: tls", "ok", /by ca_file/, undefined],
  [
    { system: { proxyOf: (origin) => `${new URL(origin).host}-proxy:3128` } },
    "cloud: proxy",
    "ok",
    /^by way of cloud.test-proxy:3128$/,
    undefined,
  ],
  [{ session: fault("unauthorized") }, "cloud: session", "failed", /^no$/, /and password/],
  [{ session: fault("unavailable") }, "cloud: session", "failed", /^no$/, /server is up/],
  [{ session: late }, "cloud: clock", "warning", /s behind$/, /time server/],
])("%j: %s %s", async (options, name, status, detail, fix) => {
  const found = named(await examine(options), name);
  expect(found).toMatchObject({ name, status, detail: expect.stringMatching(detail) as string });
  if (fix === undefined) expect(found?.fix).toBeUndefined();
  else expect(found?.fix).toMatch(fix);
});

test("a proxy that cannot be used stops there", async () => {
  const proxyOf = (): never => {
    throw new RemoteError({ kind: "invalid", effect: "none", message: "HTTPS_PROXY is none" });
  };
  const checks = await examine({ system: { proxyOf } });
  expect(named(checks, "cloud: proxy")).toMatchObject({ status: "failed" });
  expect(named(checks, "cloud: session")).toBeUndefined();
});

test("a provider that is only recorded is looked at while objects need it", async () => {
  const files = { "main.vmform.yaml": "locals: { a: 1 }" };
  expect(named(await examine({ files }), "cloud: session")).toBeUndefined();
  const state = stateOf([recordedVm("cloud_vm.web")]);
  expect(named(await examine({ files, state }), "cloud: session")?.status).toBe("ok");
});

test.each([80, 40])("at %i columns no line is longer", async (width) => {
  const checks = await examine({ session: fault("unauthorized") });
  const text = doctorText(checks, { color: false, width });
  for (const line of text.split("\n")) expect(displayColumns(line)).toBeLessThanOrEqual(width);
});

const onServer = configured("vmform: { state: { postgres: { url: postgres://db.test/infra } } }");

test.each([
  [undefined, "ok", "state can be written, for what the server of recorded state could not take"],
  ["read-only", "warning", "state cannot be written, for what the server of recorded state could"],
] as const)("the folder of a state on a server: %s", async (problem, status, detail) => {
  const system = { folderProblem: () => Promise.resolve(problem) };
  const folder = named(await examine({ ...onServer, system }), "folder");
  expect(folder).toMatchObject({ status, detail: expect.stringContaining(detail) });
  expect(folder?.fix ?? "").not.toContain("local.path");
});

test.each([
  ["http: { address: https://state.test/web }", "only a run finds out"],
  ["postgres: { url: postgres://db.test/infra }", "free"],
])("a lock that nobody is known to have: %s", async (store, said) => {
  const checks = await examine(configured(`vmform: { state: { ${store} } }`));
  expect(named(checks, "lock")).toMatchObject({ status: "ok" });
  expect(named(checks, "lock")?.detail).toContain(said);
});
