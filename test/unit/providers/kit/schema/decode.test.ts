/** Queries are what their schema says: checked, filled in, and `null` is unset. */

import { expect, test } from "vitest";
import { escapeText } from "../../../../../src/lib/xml/xml-text.ts";
import type { Attributes } from "../../../../../src/model/value/value.ts";
import { queried } from "../../../../../src/providers/kit/schema/decode.ts";

const read = queried("cloud_query", async (_ports: null, query: Attributes) => query);

test("defaults are filled in, and what is null is left out", async () => {
  const query = { type: "vm", filter: null, where: { name: "a" } };
  expect(await read(null, query)).toEqual({
    type: "vm",
    where: { name: "a" },
    format: "records",
  });
  expect(query).toEqual({ type: "vm", filter: null, where: { name: "a" } });
});

test.each<[Attributes, string]>([
  [{}, "type is not set"],
  [{ type: "a b" }, "type must be letters alone"],
  [{ type: "vm", where: { numberOfCpus: 2 } }, "where.numberOfCpus must be string"],
  [{ type: "vm", format: "xml" }, "format is none of records, references, idrecords"],
  [{ type: "vm", colour: "red" }, "there is no colour"],
])("%j is refused", async (query, problem) => {
  await expect(read(null, query)).rejects.toMatchObject({
    kind: "invalid",
    effect: "none",
    message: `data source cloud_query: ${problem}`,
  });
});

test("a text of it that XML cannot carry is refused; a fault stays one", async () => {
  const writes = (text: string) =>
    queried("cloud_query", async () => {
      if (text === "") throw new TypeError("a fault");
      return { text: escapeText(text) };
    })(null, { type: "vm" });
  expect(await writes("a<b")).toEqual({ text: "a&lt;b" });
  await expect(writes("a\u0001")).rejects.toMatchObject({ kind: "invalid", effect: "none" });
  await expect(writes("")).rejects.toThrow("a fault");
});
