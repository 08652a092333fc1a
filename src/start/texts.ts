/** Texts of the files that the program is built as. */

import { closeSync, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";

/** A file, and the function that it becomes, in one memory: V8 would put its parts together. */
export type Text = { readonly source: Buffer; readonly wrapped: Buffer };

export type Texts = {
  /** Each is asked for once. Throws what the system says. */
  readonly take: (path: string) => Text;
  /**
   * Reads all that nobody has taken yet, for whoever asks later: by then they may be those of
   * another version, or be gone. The second time it does nothing. Throws what the system says.
   */
  readonly readAhead: () => void;
};

/** Files below a folder, between the start and the end of a function. */
export function openTexts(folder: string, head: string, foot: string): Texts {
  const taken = new Set<string>();
  const ahead = new Map<string, Text>();
  let isAhead = false;
  return {
    take: (path) => {
      const text = ahead.get(path) ?? read(path, head, foot);
      ahead.delete(path);
      taken.add(path);
      return text;
    },
    readAhead: () => {
      if (isAhead) return;
      for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
        const path = join(folder, name);
        if (path.endsWith(".js") && !taken.has(path)) ahead.set(path, read(path, head, foot));
      }
      isAhead = true;
    },
  };
}

function read(path: string, head: string, foot: string): Text {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const wrapped = Buffer.allocUnsafe(head.length + size + foot.length);
    wrapped.write(head, "latin1");
    wrapped.write(foot, head.length + size, "latin1");
    let length = 0;
    while (length < size) {
      const more = readSync(file, wrapped, head.length + length, size - length, null);
      if (more === 0) throw new Error(`${path} became shorter while it was read`);
      length += more;
    }
    return { source: wrapped.subarray(head.length, head.length + size), wrapped };
  } finally {
    closeSync(file);
  }
}
