/** Where the state is: settings before variables, and what GitLab and Gitea need not be told. */

import { describe, expect, test } from "vitest";
import type { HttpStoreSettings } from "../../../../src/model/recorded/http-settings.ts";
import { StoreError } from "../../../../src/model/recorded/store.ts";
import { locationOf, placeOf, requireSafe, tokensIn } from "../../../../src/store/http/place.ts";

const settings: HttpStoreSettings = {
  kind: "http",
  directory: "/folder",
  allowUnverified: false,
  withoutLock: false,
};
const gitLab = "https://git.example/api/v4/projects/ops%2Flab/terraform/state/web";
const gitea = "https://git.example/api/packages/ops/terraform/state/web";

function flat(
  given: Partial<HttpStoreSettings>,
  environment: { readonly [name: string]: string } = {},
): readonly string[] {
  const { url: address, updateMethod, lock } = placeOf({ ...settings, ...given }, environment);
  const both = [lock.lock, lock.unlock];
  return [`${updateMethod} ${address}`, ...both.map(({ method, url }) => `${method} ${url}`)];
}

describe("where it is written, locked and unlocked", () => {
  test.each<readonly [string, Partial<HttpStoreSettings>, object, readonly string[]]>([
    [
      "GitLab",
      { address: gitLab },
      {},
      [`POST ${gitLab}`, `POST ${gitLab}/lock`, `DELETE ${gitLab}/lock`],
    ],
    [
      "Gitea",
      { address: `${gitea}/` },
      {},
      [`POST ${gitea}/`, `POST ${gitea}/lock`, `DELETE ${gitea}/lock`],
    ],
    [
      "GitLab, with a token in the query",
      { address: `${gitLab}?private_token=a` },
      {},
      [
        `POST ${gitLab}?private_token=a`,
        `POST ${gitLab}/lock?private_token=a`,
        `DELETE ${gitLab}/lock?private_token=a`,
      ],
    ],
    [
      "another server",
      { address: "http://state.example/web?tenant=1" },
      {},
      [
        "POST http://state.example/web?tenant=1",
        "LOCK http://state.example/web?tenant=1",
        "UNLOCK http://state.example/web?tenant=1",
      ],
    ],
    [
      "variables alone, as Terraform reads them",
      {},
      {
        TF_HTTP_ADDRESS: gitLab,
        TF_HTTP_UPDATE_METHOD: "PUT",
        TF_HTTP_LOCK_ADDRESS: "https://lock.example/a",
        TF_HTTP_LOCK_METHOD: "PUT",
        TF_HTTP_UNLOCK_ADDRESS: "https://lock.example/b",
        TF_HTTP_UNLOCK_METHOD: "PATCH",
      },
      [`PUT ${gitLab}`, "PUT https://lock.example/a", "PATCH https://lock.example/b"],
    ],
    [
      "settings before variables, each for itself",
      { address: gitea, lockMethod: "PUT" },
      { TF_HTTP_ADDRESS: gitLab, TF_HTTP_LOCK_METHOD: "POST", TF_HTTP_UNLOCK_METHOD: "UNLOCK" },
      [`POST ${gitea}`, `PUT ${gitea}/lock`, `UNLOCK ${gitea}/lock`],
    ],
    [
      "a lock elsewhere, unlocked there as well",
      { address: gitea, lockAddress: "https://lock.example/a" },
      { TF_HTTP_UNLOCK_ADDRESS: "" },
      [`POST ${gitea}`, "POST https://lock.example/a", "DELETE https://lock.example/a"],
    ],
  ])("%s", (_name, given, environment, expected) => {
    expect(flat(given, { ...environment })).toEqual(expected);
  });

  test.each<readonly [string, Partial<HttpStoreSettings>, object, string]>([
    ["no address", {}, { TF_HTTP_ADDRESS: "" }, "TF_HTTP_ADDRESS"],
    ["no url", { address: "git.example" }, {}, "vmform.state.http.address is not"],
    ["another protocol", {}, { TF_HTTP_ADDRESS: "ftp://a/b" }, "TF_HTTP_ADDRESS is not"],
    ["a login", {}, { TF_HTTP_ADDRESS: "https://ann:geheim@a/b" }, "stands a login"],
    [
      "a login of the lock",
      { address: gitLab },
      { TF_HTTP_LOCK_ADDRESS: "https://ann:geheim@a" },
      "TF_HTTP_LOCK_ADDRESS",
    ],
  ])("%s is refused, and no login is quoted", (_name, given, environment, words) => {
    const refused = caught(() => flat(given, { ...environment }));
    expect(refused.code).toBe("STO020");
    expect(`${refused.message} ${refused.fix}`).toContain(words);
    expect(`${refused.message} ${refused.fix}`).not.toContain("geheim");
  });

  test("its name for people has no login", () => {
    const environment = { TF_HTTP_ADDRESS: "https://ann:geheim@git.example/a#b" };
    expect(locationOf(settings, environment)).toBe("https://git.example/a");
    expect(locationOf(settings, {})).toBe("no address");
  });
});

test("a password goes over plain http to this computer alone, unless that is wished", () => {
  const isLocal = (host: string): boolean => host === "127.0.0.1";
  const place = (address: string) => placeOf({ ...settings, address }, {});
  const check = (address: string, allowUnverified = false) => {
    requireSafe(place(address), { ...settings, allowUnverified }, isLocal);
  };
  check("https://git.example/a");
  check("http://127.0.0.1/a");
  check("http://git.example/a", true);
  expect(caught(() => check("http://git.example/a")).code).toBe("STO020");
});

function caught(work: () => unknown): StoreError {
  try {
    work();
  } catch (error) {
    if (error instanceof StoreError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("a token in the query", () => {
  const address = "https://state.example/web?tenant=a&private_token=glpat-5f0c&t=0123456789abcdef";
  test("is told to nobody", () => {
    const told = "https://state.example/web?tenant=…&private_token=…&t=…";
    expect(locationOf({ ...settings, address }, {})).toBe(told);
    expect(placeOf({ ...settings, address }, {}).address).toBe(told);
  });
  test("is masked wherever else it stands", () => {
    const lockAddress = "https://state.example/lock?key=k&code=12345678&name=12345678";
    const place = placeOf({ ...settings, address, lockAddress }, {});
    expect(tokensIn(place)).toEqual([
      ...["glpat-5f0c", "0123456789abcdef"],
      ...["12345678", "12345678"],
    ]);
  });
});
