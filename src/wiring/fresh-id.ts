/** Random ids. */

import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";

const ofLinux = "/proc/sys/kernel/random/uuid";

/**
 * A random UUID of version 4: that of Linux, where it gives one, from the same source as that of
 * Node.js, whose whole cryptography would be loaded for it at each start.
 */
export function freshId(source = ofLinux): string {
  try {
    const text = readFileSync(source, "latin1").trim();
    if (/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(text)) {
      return text;
    }
  } catch {
    // Another system, or one that shows nothing of it.
  }
  return randomUUID();
}
