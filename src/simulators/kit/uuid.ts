/** Ids of simulated things. */

import { createHash } from "node:crypto";

/** A UUID made of the seed and of what it identifies, so that equal worlds have equal ids. */
export function uuidOf(seed: number, kind: string, key: string): string {
  const hex = createHash("sha256").update(`${seed}:${kind}:${key}`).digest("hex");
  const [a, b, c, d, e] = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(13, 16),
    hex.slice(17, 20),
    hex.slice(20, 32),
  ];
  return `${a}-${b}-4${c}-8${d}-${e}`;
}
