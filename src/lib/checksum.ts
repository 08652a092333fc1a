/** Checksums that find damage: no protection against who means it. */

import { crc32 } from "node:zlib";

/** CRC-32 of the text as UTF-8, in eight hexadecimal digits. */
export function checksumText(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}
