/** Whose provider settings an action or a ticket uses: the configured ones before the recorded. */

import { expect, test } from "vitest";
import { actionCommand } from "../../../../src/commands/server/action.ts";
import { ticketCommand } from "../../../../src/commands/server/ticket.ts";
import { fakeEnvironment, recordedVm, settings, stateOf } from "../fake-environment.ts";

const moved = { url: "https://new.test", user: "ops", password: { file: "./new.secret" } };
const east = { ...settings, url: "https://east.test" };
const state = stateOf(
  [recordedVm("cloud_vm.web"), recordedVm("cloud_vm.east", { provider: "cloud.east" })],
  {
    providers: [
      { name: "cloud", settings },
      { name: "cloud.east", settings: east },
    ],
  },
);
const block = (url: string): string =>
  `cloud: { url: "${url}", user: ops, password: { file: ./new.secret } }`;
const host = "variables: { host: { type: string } }";
const given = { url: "mks://h/vm-1?ticket=a", host: "h", ticket: "a", validMs: 30_000 };

test.each<[string, string, string, string, object, readonly string[]]>([
  ["no provider block", "web", "", "", settings, []],
  ["another block", "web", `providers: { ${block("https://new.test")} }`, "", moved, []],
  [
    "a block of a variable",
    "web",
    `${host}\nproviders: { ${block("https://${vars.host}")} }`,
    "new.test",
    moved,
    [],
  ],
  [
    "a variable without a value",
    "web",
    `${host}\nproviders: { ${block("https://${vars.host}")} }`,
    "",
    settings,
    ["CLI011"],
  ],
  [
    "a resource with an error",
    "web",
    `providers: { ${block("https://new.test")} }\nresources: { cloud_vm.web: { nmae: web } }`,
    "",
    settings,
    ["CLI011"],
  ],
  ["an alias without a block", "east", `providers: { ${block("https://new.test")} }`, "", east, []],
])("%s", async (_name, name, text, value, used, codes) => {
  const variables = value === "" ? [] : [{ name: "host", text: value }];
  const options = { directory: ".", variables, variableFiles: [], address: `cloud_vm.${name}` };
  const session = { act: () => Promise.resolve({}), ticket: () => Promise.resolve(given) };
  const fake = fakeEnvironment({ state, session, files: { "main.vmform.yaml": text } });

  await fake.clock.until(ticketCommand(fake.environment, options));
  const acted = await fake.clock.until(
    actionCommand(fake.environment, {
      ...options,
      action: "reset",
      allowed: [],
      lockTimeoutMs: 0,
      show: () => {},
      review: () => Promise.resolve("agreed"),
      step: () => {},
    }),
  );

  expect(acted.kind).toBe("ended");
  const provider = name === "web" ? "cloud" : "cloud.east";
  const opened = fake.trace.flatMap((line) => /^open (\S+) (\{.*\}) (\S+)$/.exec(line) ?? []);
  for (const [at, access] of [
    [0, "read"],
    [4, "mutate"],
  ] as const) {
    expect([opened[at + 1], opened[at + 3]]).toEqual([provider, access]);
    expect(JSON.parse(opened[at + 2] ?? "")).toMatchObject(used);
  }
  const told = fake.trace.filter((line) => line.startsWith("remark"));
  expect(told).toEqual([...codes, ...codes].map((code) => `remark ${code}`));
});
