/** Bytes of what vmform writes, read again as text: anything else is told by its encoding. */

import { decodeText } from "../../lib/text.ts";
import { StateFormatError } from "./format-error.ts";

/** Throws `StateFormatError`. */
export function textOfFile(bytes: Uint8Array): string {
  const decoded = decodeText(bytes);
  if (decoded.text !== undefined) return decoded.text;
  if (decoded.encoding === "utf-16") {
    const found = "is UTF-16 text (as PowerShell's `>` and some editors write it), not UTF-8";
    throw new StateFormatError("damaged", found);
  }
  const line = decoded.before.split("\n").length;
  const byte = `0x${decoded.byte.toString(16).toUpperCase().padStart(2, "0")}`;
  throw new StateFormatError("damaged", `is no UTF-8 text: byte ${byte} in line ${line}`);
}
