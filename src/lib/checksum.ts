/** Checksums that find damage: no protection against who means it. */

import { crc32 as crc32OfNode } from "node:zlib";

/** CRC-32 of the text as UTF-8, in eight hexadecimal digits. */
export function checksumText(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}

type Sum = (data: Uint8Array | string) => number;

/** CRC-32 (ISO-HDLC) of bytes, or of a text as UTF-8: 32 bits, no sign. */
export const crc32: Sum = whereThereIsOne(crc32OfNode);

/** Node.js 22.0 and 22.1 have none. */
function whereThereIsOne(ofNode: Sum | undefined): Sum {
  return ofNode ?? crc32ByTable;
}

let table: Uint32Array | undefined;

/** The same, many times slower. */
export function crc32ByTable(data: Uint8Array | string): number {
  table ??= Uint32Array.from({ length: 256 }, (_, byte) => remainderOf(byte));
  let rest = 0xff_ff_ff_ff;
  for (const byte of typeof data === "string" ? Buffer.from(data) : data) {
    rest = (rest >>> 8) ^ (table[(rest ^ byte) & 0xff] ?? 0);
  }
  return (rest ^ 0xff_ff_ff_ff) >>> 0;
}

/** Of eight bits, by the polynomial with its bits in reverse. */
function remainderOf(byte: number): number {
  let rest = byte;
  for (let bit = 0; bit < 8; bit += 1) rest = (rest >>> 1) ^ (rest & 1 ? 0xed_b8_83_20 : 0);
  return rest >>> 0;
}
