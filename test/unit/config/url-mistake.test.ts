/** What is said of an address that breaks the pattern: words, the address to write, no login. */

import { expect, test } from "vitest";
import { urlMistake } from "../../../src/config/read/form/shape.ts";

test.each<[string, string | undefined]>([
  ["cloud.example.com", "write https://cloud.example.com"],
  ["localhost:8080", "write https://localhost:8080"],
  ["cloud.example.com/cloud/org/a/#/home", "write https://cloud.example.com/cloud/org/a/"],
  ["", "must begin with https:// (or http://)"],
  ["what is this", "must begin with https:// (or http://)"],
  ["ftp://cloud.example.com", "must begin with https:// or http://"],
  ["https://cloud.example.com/cloud/#/home", "write https://cloud.example.com"],
  ["https://cloud.example.com:8443/?a=b", "write https://cloud.example.com:8443"],
  ["HTTP://cloud.example.com#top", "write HTTP://cloud.example.com"],
  ["https:///api", "names no host"],
  // The pattern says it best.
  ["https://cloud.example.com/api", undefined],
])("%j", (written, told) => {
  const mistake = urlMistake(written);
  if (told === undefined) expect(mistake).toBeUndefined();
  else expect(mistake).toContain(told);
});

test.each([
  "https://admin:s3cret@cloud.example.com",
  "https://admin:s3#cret@cloud.example.com",
  "https://admin:s3/cret@cloud.example.com/#/x",
  "https://admin:s3?cret@cloud.example.com",
  "admin:s3cret@cloud.example.com",
  "ftp://admin:s3cret@cloud.example.com",
])("nothing of the login in %j is told", (written) => {
  const mistake = urlMistake(written) ?? "";
  expect(mistake).not.toBe("");
  expect(mistake).not.toMatch(/s3|cret|admin/);
});
