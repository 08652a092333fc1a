/**
 * Chunks in ASCII, which Node.js takes as they are: other text is decoded, and takes twice the
 * memory, for the sake of a few signs. A plugin of the bundler, after all that writes code.
 */

import { decode, encode } from "@jridgewell/sourcemap-codec";

export function ascii() {
  return {
    name: "ascii",
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== "chunk") continue;
        const lines = chunk.code.split("\n").map(escapedLine);
        if (lines.every(({ moves }) => moves.length === 0)) continue;
        chunk.code = lines.map(({ text }) => text).join("\n");
        const asset = bundle[`${chunk.fileName}.map`];
        // What the build itself has written has none.
        if (asset === undefined) continue;
        const map = JSON.parse(asset.source);
        const mappings = decode(map.mappings).map((segments, index) =>
          segments.map(([column, ...rest]) => [column + movedBy(lines[index], column), ...rest]),
        );
        asset.source = JSON.stringify({ ...map, mappings: encode(mappings) });
      }
    },
  };
}

/**
 * With escapes as they may stand in texts, templates and patterns, of which the second half of a
 * pair is a part.
 *
 * @param {string} line
 * @returns what is written, and after which columns so many more are
 */
function escapedLine(line) {
  /** @type {number[]} */
  const moves = [];
  const text = line.replaceAll(/[\u0080-\uffff]/g, (sign, index) => {
    moves.push(index);
    return `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
  return { text, moves };
}

/** The length of an escape, less that of the sign. */
const longer = 5;

/** @param {number} column */
function movedBy({ moves }, column) {
  const next = moves.findIndex((index) => index >= column);
  return longer * (next === -1 ? moves.length : next);
}
