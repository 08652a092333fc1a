/** The id of a lock names its holder, whatever host and user are called. */

import fc from "fast-check";
import { expect, test } from "vitest";
import {
  holderIn,
  lockBody,
  lockIdOf,
  ownerOf,
} from "../../../../src/store/document/lock-words.ts";

const owner = fc.record({
  operation: fc.string(),
  who: fc.string({ unit: "binary" }),
  host: fc.string({ unit: "binary" }),
  pid: fc.integer({ min: 1, max: 4_194_304 }),
});

test("any names make an id that a shell and a query leave as it is, and that can be read", () => {
  fc.assert(
    fc.property(owner, (one) => {
      const id = lockIdOf(one, "5f0c1d2e-3b4a");
      expect(id).toMatch(/^[A-Za-z0-9.:@_-]{1,255}$/);
      expect(ownerOf(id)?.pid).toBe(one.pid);
    }),
  );
});

test("usual names come back as they are", () => {
  const one = { operation: "state push", who: "ann.b", host: "ci-1.example", pid: 7 };
  const id = lockIdOf(one, "u");
  expect(id).toBe("vmform:state_push:ann.b@ci-1.example:7:u");
  expect(ownerOf(id)).toEqual(one);
  expect(ownerOf("2844dfe8-22b4")).toBeUndefined();
});

test("what refuses a lock may say anything", () => {
  const text = fc.oneof(
    fc.string(),
    fc.json(),
    fc.record({ ID: fc.string() }).map((one) => JSON.stringify(one)),
  );
  fc.assert(fc.property(text, (one) => holderIn(one, "asked")?.id !== ""));
  expect(holderIn('{"ID":""}', "asked")).toBeUndefined();
  expect(holderIn("<html>", "asked")).toBeUndefined();
});

test("the body has the seven fields, with a time that Go reads", () => {
  const id = lockIdOf({ operation: "apply", who: "ann", host: "a", pid: 7 }, "u");
  const body: unknown = JSON.parse(lockBody(id, Date.UTC(2026, 10, 29, 20, 8), "0.1.0"));
  expect(body).toEqual({
    ID: id,
    Operation: "apply",
    Info: id,
    Who: "ann@a",
    Version: "0.1.0",
    Created: "2026-11-29T20:08:00.000Z",
    Path: "",
  });
});
