/** Reading lists whole: windows that overlap, and lists that change while they are read. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RemoteError } from "../../../../../src/model/operation/remote-error.ts";
import type { QueryRecord } from "../../../../../src/providers/cloud/client/client.ts";
import {
  type FetchPage,
  type PageWindow,
  readPages,
  windowAfter,
} from "../../../../../src/providers/cloud/query/paging.ts";
import type { QueryPage } from "../../../../../src/providers/cloud/query/records.ts";
import { onlyInLongRun } from "../../../../helpers/amount.ts";

const recordOf = (id: number): QueryRecord => ({
  element: "VMRecord",
  href: `/api/vApp/vm-${id}`,
  key: `/api/vApp/vm-${id}`,
  attributes: { name: `vm${id}` },
});

type Server = {
  /** Largest page; a larger one is capped without a word. */
  readonly cap: number;
  /** Keeps to its cap whatever is asked. */
  readonly ignoresSize?: boolean;
  /** Which numbers stand in the reply. */
  readonly says?: { readonly total?: boolean; readonly page?: boolean; readonly size?: boolean };
};

/** A page of the list as it is now. */
function pageOf(ids: readonly number[], asked: PageWindow, server: Server): QueryPage {
  const size = server.ignoresSize === true ? server.cap : Math.min(asked.size, server.cap);
  const start = (asked.page - 1) * size;
  const { total = true, page = true, size: saysSize = true } = server.says ?? {};
  return {
    records: ids.slice(start, start + size).map(recordOf),
    ...(total ? { total: ids.length } : {}),
    ...(page ? { page: asked.page } : {}),
    ...(saysSize ? { pageSize: size } : {}),
    hasNext: start + size < ids.length,
  };
}

async function keysOf(fetch: FetchPage, size = 128): Promise<readonly string[]> {
  return (await readPages(fetch, size)).map(({ key }) => key);
}

const range = (length: number): readonly number[] => Array.from({ length }, (_, index) => index);
const keys = (ids: readonly number[]): readonly string[] => ids.map((id) => recordOf(id).key);

describe("windows", () => {
  test("hold one known record at least, and reach beyond", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5000 }),
        fc.integer({ min: 3, max: 300 }),
        (end, size) => {
          const window = windowAfter(end, size);
          const start = (window.page - 1) * window.size;
          expect(window.size).toBeLessThanOrEqual(size);
          expect(start).toBeLessThanOrEqual(end);
          expect(window.page * window.size).toBeGreaterThan(end);
          if (end > 2 && size > 2 && start === end) {
            // Only where no page of at most this size could hold both.
            const fits = range(size + 1)
              .slice(2)
              .some((one) => {
                const begin = Math.floor((end - 1) / one) * one;
                return begin < end && begin + one > end;
              });
            expect(fits).toBe(false);
          }
        },
      ),
    );
  });

  test.each([
    [100, 1],
    [128, 1],
    [129, 2],
    [254, 2],
    [300, 3],
    [1000, 9],
  ])("%i records are %i requests", async (length, requests) => {
    let count = 0;
    const fetch: FetchPage = async (asked) => {
      count += 1;
      return pageOf(range(length), asked, { cap: 128 });
    };
    expect(await keysOf(fetch)).toEqual(keys(range(length)));
    expect(count).toBe(requests);
  });
});

describe("a list that stays", () => {
  test("is read whole, whatever the server caps, ignores or leaves out", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          length: fc.integer({ min: 0, max: 120 }),
          cap: fc.integer({ min: 1, max: 40 }),
          size: fc.integer({ min: 1, max: 60 }),
          ignoresSize: fc.boolean(),
          total: fc.boolean(),
          page: fc.boolean(),
          saysSize: fc.boolean(),
        }),
        async ({ length, cap, size, ignoresSize, total, page, saysSize }) => {
          const server = { cap, ignoresSize, says: { total, page, size: saysSize } };
          const fetch: FetchPage = async (asked) => pageOf(range(length), asked, server);
          expect(await keysOf(fetch, size)).toEqual(keys(range(length)));
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("a list that changes while it is read", () => {
  type Edit = {
    readonly at: number;
    readonly remove: boolean;
    readonly add: boolean;
    /** Places as parts of the list. */
    readonly from: number;
    readonly to: number;
  };

  /** Applies each edit before the request of its number; new records have new ids. */
  function changing(length: number, edits: readonly Edit[], server: Server) {
    let ids = range(length);
    const stayed = new Set(ids);
    let count = 0;
    let fresh = 10_000;
    const fetch: FetchPage = async (asked) => {
      for (const { remove, add, from, to } of edits.filter(({ at }) => at === count)) {
        if (remove && ids.length > 0) {
          const place = Math.floor(from * ids.length);
          stayed.delete(ids[place] ?? -1);
          ids = ids.toSpliced(place, 1);
        }
        if (add) ids = ids.toSpliced(Math.floor(to * (ids.length + 1)), 0, fresh++);
      }
      count += 1;
      return pageOf(ids, asked, server);
    };
    return { fetch, stayed: () => keys([...stayed]) };
  }

  const place = fc.double({ min: 0, max: 0.999, noNaN: true });
  const edit = fc
    .record({ at: fc.integer({ min: 1, max: 12 }), from: place, to: place })
    .chain((one) =>
      fc.constantFrom(
        { ...one, remove: true, add: false },
        { ...one, remove: false, add: true },
        // The total stays, and what stands between the two places moves.
        { ...one, remove: true, add: true },
        { ...one, remove: true, add: true },
      ),
    );
  const arbitrary = fc.record({
    length: fc.integer({ min: 1, max: 60 }),
    cap: fc.integer({ min: 1, max: 20 }),
    ignoresSize: fc.boolean(),
    edits: fc.array(edit, { minLength: 1, maxLength: 4 }),
  });

  test("what existed throughout comes exactly once, or there is an error", async () => {
    let answers = 0;
    await fc.assert(
      fc.asyncProperty(arbitrary, async ({ length, cap, ignoresSize, edits }) => {
        const list = changing(length, edits, { cap, ignoresSize });
        let found: readonly string[];
        try {
          found = await keysOf(list.fetch);
        } catch (error) {
          if (error instanceof RemoteError && error.kind === "unavailable") return;
          throw error;
        }
        answers += 1;
        expect(new Set(found).size).toBe(found.length);
        expect(found).toEqual(expect.arrayContaining([...list.stayed()]));
      }),
      { numRuns: 1000 },
    );
    expect(answers).toBeGreaterThan(500);
  });

  test("one came and one went: no count shows it, and nothing is missing", async () => {
    const edits = [{ at: 1, remove: true, add: true, from: 0, to: 0.999 }];
    const list = changing(30, edits, { cap: 10 });
    const found = await keysOf(list.fetch);
    expect(found).toEqual(expect.arrayContaining([...list.stayed()]));
    expect(found).toHaveLength(30);
  });
});

describe("pages that do not fit together", () => {
  const server = { cap: 10 };
  const list = range(35);

  test.each<[string, string, (page: QueryPage, asked: PageWindow, count: number) => QueryPage]>([
    [
      "repeats",
      "protocol",
      (_page, asked) => ({
        ...pageOf(list, { page: 1, size: 10 }, server),
        page: asked.page,
        pageSize: asked.size,
      }),
    ],
    ["is another one", "protocol", (page, asked) => ({ ...page, page: asked.page === 1 ? 1 : 3 })],
    [
      "is empty, though the total says more",
      "unavailable",
      (page, asked) => (asked.page === 1 ? page : { ...page, records: [] }),
    ],
    ["holds more than its size", "protocol", (page) => ({ ...page, pageSize: 3 })],
    [
      "changes the total each time",
      "unavailable",
      (page, _asked, count) => ({ ...page, total: 35 + count }),
    ],
    ["says fewer than there are", "protocol", (page) => ({ ...page, total: 4 })],
  ])("a page that %s is an error in the end", async (_what, kind, change) => {
    let count = 0;
    const fetch: FetchPage = async (asked) => {
      count += 1;
      return change(pageOf(list, asked, server), asked, count);
    };
    const failure = await readPages(fetch, 128).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(RemoteError);
    expect(failure).toMatchObject({ kind });
    expect(String(failure)).toContain("do not fit together, 4 times over");
    expect(count).toBeLessThan(30);
  });

  test("a list without an end is given up", onlyInLongRun, async () => {
    const fetch: FetchPage = async ({ page, size }) => ({
      records: range(size).map((index) => recordOf((page - 1) * size + index)),
      hasNext: true,
    });
    await expect(readPages(fetch, 100_000)).rejects.toThrow(/no end after 200000 records/);
  });
});
