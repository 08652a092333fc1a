/** Where the objects of a state are, of AWS and of other vendors. */

import { describe, expect, test } from "vitest";
import type { S3StoreSettings } from "../../../../src/model/recorded/s3-settings.ts";
import { placeOf } from "../../../../src/store/s3/place.ts";

const settings: S3StoreSettings = {
  ...({ kind: "s3", directory: "/folder", bucket: "states", key: "lab/vm.json" } as const),
  ...{ usePathStyle: true, allowUnverified: false },
};

describe("where the objects are", () => {
  test.each<readonly [string, Partial<S3StoreSettings>, object, string]>([
    [
      "AWS, by the region",
      { region: "eu-central-1" },
      {},
      "https://states.s3.eu-central-1.amazonaws.com/lab/vm.json",
    ],
    [
      "a bucket with a dot, which has no certificate",
      { bucket: "my.states", region: "eu-central-1" },
      {},
      "https://s3.eu-central-1.amazonaws.com/my.states/lab/vm.json",
    ],
    [
      "another vendor, with a path",
      { endpoint: "https://s3.example:9000/store/" },
      {},
      "https://s3.example:9000/store/states/lab/vm.json",
    ],
    [
      "a bucket as host",
      { endpoint: "https://s3.example", usePathStyle: false },
      {},
      "https://states.s3.example/lab/vm.json",
    ],
    [
      "variables, the one for s3 first",
      {},
      { AWS_ENDPOINT_URL: "https://all.example", AWS_ENDPOINT_URL_S3: "https://s3.example" },
      "https://s3.example/states/lab/vm.json",
    ],
    [
      "a key with what has a meaning in addresses",
      { key: "a b/ü+(1)?#.json", endpoint: "https://s3.example" },
      {},
      "https://s3.example/states/a%20b/%C3%BC%2B%281%29%3F%23.json",
    ],
  ])("%s", (_name, given, environment, document) => {
    const place = placeOf({ ...settings, ...given }, { ...environment });
    expect(place.document).toBe(document);
    expect(place.lock).toBe(`${document}.lock`);
    expect(place.address).toBe(`s3://${given.bucket ?? "states"}/${given.key ?? "lab/vm.json"}`);
  });

  test.each<readonly [string, Partial<S3StoreSettings>, string]>([
    ["no region", {}, "AWS_REGION"],
    ["no address", { endpoint: "s3.example" }, "not an http or https address"],
    ["a login", { endpoint: "https://ann:geheim@s3.example" }, "stands a login"],
  ])("%s is refused, and no login is quoted", (_name, given, words) => {
    const refused = (): unknown => placeOf({ ...settings, ...given }, {});
    expect(refused).toThrow(expect.objectContaining({ code: "STO020" }));
    try {
      refused();
    } catch (error) {
      const told = JSON.stringify(error) + String(error);
      expect(told).toContain(words);
      expect(told).not.toContain("geheim");
    }
  });
});
