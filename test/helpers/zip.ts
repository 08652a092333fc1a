/** A zip archive written byte by byte, so that one can be made that no program would make. */

import { crc32, deflateRawSync } from "node:zlib";

export type ZipEntry = readonly [
  name: string,
  text: string,
  odd?: {
    /** Type and rights of Unix. */
    readonly mode?: number;
    readonly flags?: number;
    /** What it says of itself, where that is not so. */
    readonly size?: number;
    readonly crc?: number;
  },
];

export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text, { mode = 0o100644, flags = 0, size, crc } = {}] of entries) {
    const content = Buffer.from(text);
    const packed = deflateRawSync(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x800 | flags, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc ?? crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(size ?? content.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    parts.push(Buffer.from("PK\u0003\u0004"), common, Buffer.from(name), packed);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((mode << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    // Made by a program of Unix, whose types stand in the upper half of its attributes.
    directory.push(Buffer.from("PK\u0001\u0002"), Buffer.from([20, 3]), common);
    directory.push(rest, Buffer.from(name));
    offset += 30 + Buffer.byteLength(name) + packed.length;
  }
  const names = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(names.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, names, Buffer.from("PK\u0005\u0006"), end]);
}
