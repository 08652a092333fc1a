/**
 * Who is let in at an appliance, and where requests go: sessions that end at any moment, logins that
 * are refused, servers that send elsewhere, releases that are others. No credential leaves, no
 * account is locked, nothing is resized twice, and the next run does what is left.
 */

import { createServer } from "node:http";
import { afterEach, expect, test } from "vitest";
import { onlyInLongRun, some } from "../helpers/amount.ts";
import { listen } from "../unit/http/tls-servers.ts";
import { isMutation, password } from "./cloud-place.ts";
import {
  type AppliancePlace,
  apply,
  createAppliancePlace,
  finishes,
  isHeldBack,
  type Release,
  releases,
  requestsOf,
  whileResizing,
} from "./manager-faults-appliance-run.ts";

let place: AppliancePlace;
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
  await place.remove();
});

const isLogin = ({ method, path }: { readonly method: string; readonly path: string }): boolean =>
  method === "POST" && path.endsWith("/session");

/** The users of the appliance from now on. */
function setPassword(changed: string): Promise<void> {
  return place.simulators.change((now) => ({
    ...now,
    appliance: { ...now.appliance, users: [{ name: "admin", password: changed }] },
  }));
}

test.each(some(releases, 1))(
  "release %s: a session that ends during a long resize",
  async (release) => {
    place = await createAppliancePlace(release, { takesLong: true });
    place.want(25);
    const log = await place.logged(async () => {
      const { stdout } = await whileResizing(place, place.run(0, ...apply), () =>
        place.change({ end_appliance_sessions: {} }),
      );
      expect(stdout).toContain("resize complete");
    });
    expect(log.filter(isMutation).length).toBe(1);
    // One more, for all that is read back.
    expect(log.filter(isLogin).length).toBe(2);
    await finishes(place, 0);
  },
);

test.each(some(releases, 1))("release %s: credentials instead of a session", async (release) => {
  place = await createAppliancePlace(release);
  place.want(25, { login: "basic" });
  const log = await place.logged(async () => {
    const { stdout } = await place.run(0, ...apply);
    expect(stdout).toContain("resize complete");
  });
  expect(log.filter(isMutation).length).toBe(1);
  expect(log.filter(({ path }) => path.endsWith("/session"))).toEqual([]);
  await finishes(place, 0);
});

test(
  "a password that changes during a long resize is not tried again and again",
  onlyInLongRun,
  async () => {
    place = await createAppliancePlace("6.5", { takesLong: true });
    place.want(25);
    const log = await place.logged(async () => {
      const { stdout, stderr } = await whileResizing(place, place.run(1, ...apply), async () => {
        await setPassword("another");
        await place.change({ end_appliance_sessions: {} });
      });
      expect(stdout + stderr).toMatch(
        /resize failed.*cannot be read back: .*login refused for admin/,
      );
    });
    expect(log.filter(isMutation).length).toBe(1);
    expect(log.filter(isLogin).map(({ status }) => status)).toEqual([200, 401]);
    await setPassword(password);
    await finishes(place, 0);
  },
);

test.each(some(releases, 1))(
  "release %s: a login that is refused is tried once a run",
  async (release) => {
    place = await createAppliancePlace(release);
    place.want(25, { user: "nobody" });
    for (const words of [["plan"], apply]) {
      const log = await place.logged(async () => {
        const { stdout, stderr } = await place.run(1, ...words);
        expect(stdout + stderr).toContain("login refused for nobody");
      });
      expect(log.filter(isLogin).length).toBe(1);
      expect(log.filter(isMutation)).toEqual([]);
    }
    place.want(25);
    await finishes(place, 1);
  },
);

/** Another server, which counts what it is asked. */
async function elsewhere() {
  const seen: string[] = [];
  const server = createServer((incoming, outgoing) => {
    seen.push(`${incoming.method} ${incoming.url} ${JSON.stringify(incoming.headers)}`);
    outgoing.end("{}");
  });
  const listening = await listen(server, "http");
  ends.push(() => listening.close());
  return { origin: listening.origin, seen };
}

const moved = (["login", "list", "sizes", "resize"] as const).flatMap((what) =>
  [301, 302, 307].map((status) => ({ what, status })),
);

test.each(some(moved, 1))(
  "a $what that is sent elsewhere with $status goes nowhere",
  onlyInLongRun,
  async (row) => {
    const { what, status } = row;
    place = await createAppliancePlace("7.0");
    const other = await elsewhere();
    const request = requestsOf("7.0")[what];
    const headers = { location: `${other.origin}/api/appliance/system/storage` };
    place.want(25);
    await place.setFaults({ ...request, times: "always", reply: { status, headers } });
    const log = await place.logged(async () => {
      const { stdout, stderr } = await place.run(1, ...apply);
      expect(stdout + stderr).toContain(`server moved to ${headers.location} (status ${status})`);
    });
    expect(log.filter(isMutation).length).toBe(what === "resize" ? 1 : 0);
    expect(other.seen).toEqual([]);
    // Servers answer so also when the work is done, and its result is to be seen elsewhere.
    if (what === "resize" && status === 302) await isHeldBack(place);
    await finishes(place, 1);
  },
);

const mistaken: readonly (readonly [string, Release, unknown, readonly (string | RegExp)[]])[] = [
  [
    "a later one than is there",
    "6.5",
    "7.0",
    [/does not know \/api\/session \(is url an appliance's, and 7\.0 its release\?\)/],
  ],
  [
    "6.7 where 6.5 is",
    "6.5",
    "6.7",
    [/404 not_found.*an earlier release has no such request: see release/],
  ],
  ["one that nobody knows", "6.5", "8.0", ["6.5", "6.7", "7.0"]],
];

test.each(some(mistaken, 1))("release: %s", onlyInLongRun, async (_name, release, set, says) => {
  place = await createAppliancePlace(release);
  place.excuse("violation");
  place.want(25, { release: set });
  const { stdout, stderr } = await place.run(1, ...apply);
  for (const words of says) {
    if (typeof words === "string") expect(stdout + stderr).toContain(words);
    else expect(stdout + stderr).toMatch(words);
  }
  expect(place.partition("log")).toBe(10);
  place.want(25);
  await finishes(place, 1);
});

const earlier = [
  ["6.5", "6.7"],
  ["6.5", "7.0"],
  ["6.7", "7.0"],
] as const;

test.each(some(earlier, 1))(
  "the form of release %s at an appliance of %s works",
  onlyInLongRun,
  async (set, release) => {
    place = await createAppliancePlace(release);
    place.want(25, { release: set });
    const log = await place.logged(() => place.run(0, ...apply));
    expect(log.filter(isMutation).length).toBe(1);
    await finishes(place, 0);
  },
);
