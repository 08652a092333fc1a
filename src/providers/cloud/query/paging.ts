/**
 * Reading a list whole while it changes, page by page. Each page after the first begins with a
 * record that is known already: if it is not the one that was there, something before it came or
 * went, and a record may have slipped between the pages, which no count shows. For this the page
 * size changes from page to page (a page begins at a multiple of its size).
 */

import { RemoteError } from "../../../model/operation/remote-error.ts";
import type { QueryRecord } from "../client/client.ts";
import type { QueryPage } from "./records.ts";

export type PageWindow = { readonly page: number; readonly size: number };
export type FetchPage = (window: PageWindow) => Promise<QueryPage>;

/** Beginnings after the first; a list that changes more often than this is given up. */
const restartsMax = 3;
/** From this restart on page sizes stay equal, for servers that do not say what size they used. */
const plainAfter = 2;
const recordsMax = 200_000;

/** One reading of all pages. */
type Pass = {
  /** By place in the list. */
  readonly records: QueryRecord[];
  /** Every page but the first began with a known record. */
  overlapped: boolean;
  /** The server keeps to its own page size: pages follow each other without a known record. */
  fixed: boolean;
  total: number | undefined;
  /** The largest page the server gives. */
  size: number;
};

type Flaw = { readonly kind: "unavailable" | "protocol"; readonly why: string };

/**
 * Every record that exists throughout, each once, in the server's order. Throws `RemoteError` when
 * the pages do not fit together: of kind unavailable if the list keeps changing, of kind protocol
 * if no list answers so.
 */
export async function readPages(
  fetchPage: FetchPage,
  pageSize: number,
): Promise<readonly QueryRecord[]> {
  let unproved: readonly QueryRecord[] | undefined;
  for (let restarts = 0; ; ) {
    const pass = startPass(pageSize, restarts >= plainAfter);
    const flaw = (await readPass(fetchPage, pass)) ?? differs(pass, unproved);
    if (flaw === undefined) {
      if (pass.overlapped || unproved !== undefined) return distinct(pass.records);
      // The server keeps to a page size of its own: two equal passes prove as much.
      unproved = pass.records;
      continue;
    }
    unproved = undefined;
    restarts += 1;
    if (restarts > restartsMax) throw givenUp(flaw, restarts);
  }
}

/**
 * The page of at most `size` that begins with a known record, one of the first `end`, and ends as
 * late as possible; where there is none, as with pages of one record, the one that begins at `end`.
 */
export function windowAfter(end: number, size: number): PageWindow {
  if (end === 0) return { page: 1, size };
  let best = { page: 0, size: 0, reach: end };
  for (let candidate = size; candidate >= 2; candidate -= 1) {
    // No smaller page reaches further.
    if (best.reach >= end - 1 + candidate) break;
    const page = Math.floor((end - 1) / candidate) + 1;
    const reach = page * candidate;
    if (reach > best.reach) best = { page, size: candidate, reach };
  }
  return best.page === 0 ? plainWindow(end, size) : { page: best.page, size: best.size };
}

/** The largest page of at most `size` that begins at `end`. */
function plainWindow(end: number, size: number): PageWindow {
  let divisor = size;
  while (end % divisor !== 0) divisor -= 1;
  return { page: end / divisor + 1, size: divisor };
}

function startPass(size: number, fixed: boolean): Pass {
  return { records: [], overlapped: true, fixed, total: undefined, size };
}

async function readPass(fetchPage: FetchPage, pass: Pass): Promise<Flaw | undefined> {
  for (;;) {
    const known = pass.records.length;
    const window = (pass.fixed ? plainWindow : windowAfter)(known, pass.size);
    const page = await fetchPage(window);
    const size = usedSize(page, window);
    const flaw =
      misfit(pass, page, { window, size }) ?? append(pass, page, (window.page - 1) * size);
    if (flaw !== undefined) return flaw;
    if (size < window.size) pass.size = Math.min(pass.size, size);
    if (size > window.size) Object.assign(pass, { fixed: true, size });
    const seen = pass.records.length;
    const { total } = pass;
    if (total === undefined ? !page.hasNext && page.records.length < size : seen === total) return;
    if (seen === known && size >= window.size) {
      const isEmpty = page.records.length === 0;
      const why = `page ${window.page} holds nothing new after ${seen} records`;
      return { kind: isEmpty ? "unavailable" : "protocol", why };
    }
    if (seen > recordsMax) {
      return { kind: "protocol", why: `there is no end after ${recordsMax} records` };
    }
  }
}

/** Size of the pages as the server counted. Where it does not say, a page that ends early tells. */
function usedSize({ records, total, pageSize, hasNext }: QueryPage, asked: PageWindow): number {
  if (pageSize !== undefined) return pageSize;
  const count = records.length;
  if (count > asked.size) return count;
  const reach = (asked.page - 1) * asked.size + count;
  const isMore = hasNext || (total !== undefined && total > reach);
  return isMore && count > 0 ? count : asked.size;
}

function misfit(
  pass: Pass,
  page: QueryPage,
  { window, size }: { readonly window: PageWindow; readonly size: number },
): Flaw | undefined {
  const { page: number = window.page, total } = page;
  const count = page.records.length;
  if (number !== window.page) {
    return { kind: "protocol", why: `page ${number} came instead of page ${window.page}` };
  }
  if (count > size) {
    const why = `page ${number} holds ${count} records, though its size is ${size}`;
    return { kind: "protocol", why };
  }
  const known = pass.records.length;
  if (known > 0 && total !== pass.total) {
    const why = `the total changed from ${pass.total ?? "none"} to ${total ?? "none"}`;
    return { kind: "unavailable", why };
  }
  if ((number - 1) * size > known) {
    return { kind: "protocol", why: `records are left out before page ${number}` };
  }
  pass.total = total;
  return undefined;
}

function append(pass: Pass, { records, total }: QueryPage, start: number): Flaw | undefined {
  const known = pass.records.length;
  if (start === known && known > 0) pass.overlapped = false;
  for (const [index, record] of records.entries()) {
    const there = pass.records[start + index];
    if (there === undefined) pass.records.push(record);
    else if (there.key !== record.key) {
      return { kind: "unavailable", why: `what stood at place ${start + index + 1} moved` };
    }
  }
  const seen = pass.records.length;
  if (total === undefined || seen <= total) return undefined;
  return { kind: "protocol", why: `there are ${seen} records, though the total is ${total}` };
}

/** A record at two places was counted twice; a pass that others do not confirm proves nothing. */
function differs(pass: Pass, unproved: readonly QueryRecord[] | undefined): Flaw | undefined {
  const isMany = pass.records.length > pass.size;
  if (isMany && new Set(pass.records.map(({ key }) => key)).size < pass.records.length) {
    return { kind: "unavailable", why: "a record stands on two pages" };
  }
  if (unproved === undefined) return undefined;
  const isSame =
    unproved.length === pass.records.length &&
    unproved.every(({ key }, index) => key === pass.records[index]?.key);
  return isSame ? undefined : { kind: "unavailable", why: "records came and went meanwhile" };
}

function distinct(records: readonly QueryRecord[]): readonly QueryRecord[] {
  return [...new Map(records.map((record) => [record.key, record])).values()];
}

function givenUp(flaw: Flaw, times: number): RemoteError {
  const message = `the pages do not fit together, ${times} times over: ${flaw.why}`;
  return new RemoteError({ kind: flaw.kind, effect: "none", message });
}
