/** Random ids. */

import { expect, test } from "vitest";
import { freshId } from "../../../src/wiring/fresh-id.ts";

test("each is another UUID of version 4", () => {
  const ids = Array.from({ length: 200 }, freshId);
  for (const id of ids) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
  expect(new Set(ids).size).toBe(200);
});
