/** Checksums, held against those of Node.js and of the standard. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { checksumText, crc32, crc32ByTable } from "../../../src/lib/checksum.ts";

test("the check value of the standard", () => {
  expect(checksumText("123456789")).toBe("cbf43926");
  expect(crc32ByTable("123456789")).toBe(0xcb_f4_39_26);
});

test("by table, as Node.js does", () => {
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array(), fc.string({ unit: "binary" })), (data) => {
      expect(crc32ByTable(data)).toBe(crc32(data));
    }),
  );
});
