/** What `vmform doctor` says of sites, by what the database knows of them. */

import { expect, test } from "vitest";
import { siteChecks } from "../../../../src/commands/server/doctor-sites.ts";
import type { SiteAgent, SitesLook } from "../../../../src/model/fleet/site-agent.ts";
import type { Check } from "../../../../src/model/provider/check.ts";
import { fakeEnvironment, stateOf } from "../fake-environment.ts";

const agent: SiteAgent = {
  ...{ version: "0.1.0", protocol: 1, readOnly: false, host: "esx-gate" },
  ...{ sinceMs: Date.UTC(2026, 0, 2, 3, 4, 5), skewMs: -240 },
};
const look = (of: Partial<SitesLook>, there: Partial<SiteAgent> | undefined): SitesLook => ({
  sites: [there === undefined ? { site: "lab" } : { site: "lab", agent: { ...agent, ...there } }],
  ...{ skewMs: 20, protocol: 1, version: "0.1.0", ...of },
});

async function examine(found: SitesLook | undefined): Promise<readonly Check[]> {
  const { environment } = fakeEnvironment({ state: stateOf([]), holder: undefined, files: {} });
  const lookAtSites = () => Promise.resolve(found);
  const state = { kind: "local", path: "x", directory: ".", beside: "x" } as const;
  return siteChecks({ ...environment, lookAtSites }, state, ["lab"]);
}

test.each<[string, SitesLook, Check["status"], RegExp, RegExp | undefined]>([
  [
    "well",
    look({}, {}),
    "ok",
    /^agent of vmform 0.1.0 on esx-gate, since .* \(protocol 1\);/,
    undefined,
  ],
  [
    "clocks",
    look({}, {}),
    "ok",
    /that of the agent is 0.2 s behind and .* machine right$/,
    undefined,
  ],
  ["reads", look({}, { readOnly: true }), "ok", /esx-gate, which only reads, since/, undefined],
  ["none", look({}, undefined), "warning", /^no agent is there$/, /vmform agent --site lab$/],
  ["older", look({}, { version: "0.0.9" }), "warning", /vmform 0.0.9/, /This is vmform 0.1.0: it/],
  ["speaks otherwise", look({}, { protocol: 2 }), "failed", /protocol 2/, /cannot be handed to it/],
  ["its clock", look({}, { skewMs: 61_000 }), "warning", /61.0 s ahead/, /Set the clocks/],
  ["our clock", look({ skewMs: -9_000 }, {}), "warning", /9.0 s behind/, /Set the clocks/],
])("%s", async (_name, found, status, detail, fix) => {
  const [check] = await examine(found);
  expect(check).toMatchObject({ name: "site lab", status });
  expect(check?.detail).toMatch(detail);
  if (fix === undefined) expect(check?.fix).toBeUndefined();
  else expect(check?.fix).toMatch(fix);
});

test("the same for machines; nothing where recorded state is in no database", async () => {
  const [check] = await examine(look({}, {}));
  expect(check?.data).toEqual({
    ...{ site: "lab", clock_ahead_ms: 20 },
    agent: {
      ...{ version: "0.1.0", protocol: 1, read_only: false, host: "esx-gate" },
      ...{ since: "2026-01-02T03:04:05.000Z", clock_ahead_ms: -240 },
    },
  });
  const [nobody] = await examine(look({}, undefined));
  expect(nobody?.data).toEqual({ site: "lab", clock_ahead_ms: 20, agent: null });
  expect(await examine(undefined)).toEqual([]);
});
