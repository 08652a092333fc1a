/** Bytes and texts of files that an expression names, through the port of its context. */

import { decodeText, indexText, placeAt } from "../../lib/text.ts";
import { type FileContent, functionContext } from "./function-context.ts";
import { failure } from "./function-entry.ts";

export function lookAt(path: string): FileContent {
  const { files } = functionContext();
  if (files === undefined)
    throw failure("files cannot be read here; a template is handed what it needs");
  if (path === "" || path.includes("\0")) throw failure("the path of a file cannot be empty");
  return files(path);
}

export function bytesOfFile(path: string): Uint8Array {
  const content = lookAt(path);
  switch (content.kind) {
    case "read":
      return content.bytes;
    case "absent":
      throw failure(`there is no file ${path}; paths begin at the folder of the configuration`);
    case "unreadable":
      throw failure(`the file ${path} cannot be read: ${content.why}`);
  }
}

export function textOfFile(path: string): string {
  const decoded = decodeText(bytesOfFile(path));
  if (decoded.text !== undefined) return decoded.text;
  if (decoded.encoding === "utf-16") {
    throw failure(`the file ${path} is UTF-16; save it as UTF-8`);
  }
  const { before, byte } = decoded;
  const { line, column } = placeAt(indexText(before), before.length);
  const shown = `0x${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  throw failure(
    `${path}:${line}:${column}: the byte ${shown} is not UTF-8; filebase64() reads any file`,
  );
}
