/** How wide a row is without what is never wrapped, since it is to be pasted. */

import { displayColumns } from "../../../src/render/text/styled-line.ts";
import { unbrokenStretches } from "../../../src/render/text/unbroken.ts";

export function wrappedColumns(row: string): number {
  if (row.length === 0) return 0;
  const pasted = unbrokenStretches(row).map(({ start, end }) => row.slice(start, end));
  return displayColumns(row) - pasted.reduce((sum, text) => sum + displayColumns(text), 0);
}
