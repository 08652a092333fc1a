/**
 * Preloaded into the command (`node --import`): counts the appends that it sends to a PostgreSQL
 * server, and ends it with SIGKILL at one of them. `APPEND_AT` holds `{ "n": 3, "phase": "before" |
 * "sent" }`, and `APPEND_REPORT` the file that receives the count of a process that ends by itself.
 */

import fs from "node:fs";
import net from "node:net";

const at = JSON.parse(process.env.APPEND_AT ?? "{}");
let appends = 0;

const prototype = Object.getPrototypeOf(new net.Socket());
const { write } = prototype;
prototype.write = function writeCounted(chunk, ...rest) {
  const isAppend = typeof chunk !== "string" && chunk.includes("for share");
  if (isAppend) appends += 1;
  const isMeant = isAppend && at.n === appends;
  if (isMeant && at.phase === "before") process.kill(process.pid, "SIGKILL");
  const written = write.call(this, chunk, ...rest);
  // What has been written to a socket is sent by the system, whatever becomes of the process. The
  // statement is carried out when what ends it has been written too, in the same turn.
  if (isMeant) setImmediate(() => process.kill(process.pid, "SIGKILL"));
  return written;
};

process.on("exit", () => {
  const report = process.env.APPEND_REPORT;
  if (report !== undefined) fs.writeFileSync(report, String(appends));
});
