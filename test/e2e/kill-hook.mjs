/**
 * Preloaded into the command (`node --import`): counts what the process does to its state folder
 * and which changes it sends, and ends it with SIGKILL at one of these moments. `KILL_AT` holds
 *
 *   { "kind": "append", "n": 3, "phase": "torn" | "written" | "durable" }     n-th journal append
 *   { "kind": "file", "n": 7, "phase": "before" | "torn" }                    n-th file operation;
 *       torn: of a file that is written whole, the first half is there
 *   { "kind": "request", "request": "PATCH /api/vms/power/web on", "phase":
 *     "before" | "sent" | "replied" }                                         one request
 *   { "kind": "exchange", "n": 5, "phase": "replied" }                        n-th reply of any kind
 *   { "kind": "write", "n": 4, "phase": "before" | "sent" | "replied" }       n-th request to the
 *       origin in KILL_ORIGIN that is no GET
 *
 * and `KILL_REPORT` the file that receives the counts of a process that ends by itself.
 */

import { subscribe } from "node:diagnostics_channel";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { resolve } from "node:path";

const at = JSON.parse(process.env.KILL_AT ?? "{}");
const folder = process.env.KILL_FOLDER ?? "";
const counts = { append: 0, file: 0, exchange: 0, write: 0 };

/** Nothing runs after the signal: it is delivered before the call returns. */
function passPoint(kind, which, phase) {
  if (at.kind !== kind || at.phase !== phase) return;
  if (which === at.n || which === at.request) process.kill(process.pid, "SIGKILL");
}

// File operations of the state folder. A journal append is a write to the open journal.

const paths = new WeakMap();

function passFile(path) {
  if (!resolve(String(path)).startsWith(folder)) return;
  counts.file += 1;
  passPoint("file", counts.file, "before");
}

const { promises } = fs;
for (const name of ["rename", "link", "unlink", "mkdir"]) {
  const original = promises[name];
  promises[name] = (path, ...rest) => {
    passFile(path);
    return original(path, ...rest);
  };
}

const writeFile = promises.writeFile;
promises.writeFile = async (path, data, options) => {
  passFile(path);
  if (at.kind === "file" && at.n === counts.file && at.phase === "torn") {
    await writeFile(path, data.slice(0, data.length >> 1), options);
    passPoint("file", counts.file, "torn");
  }
  return writeFile(path, data, options);
};

const open = promises.open;
promises.open = async (path, flags, mode) => {
  if (flags !== "r") passFile(path);
  const handle = await open(path, flags, mode);
  paths.set(handle, String(path));
  return handle;
};
syncBuiltinESMExports();

const probe = await open(new URL(import.meta.url), "r");
const prototype = Object.getPrototypeOf(probe);
await probe.close();

const { write, sync, truncate } = prototype;
const isJournal = (handle) => paths.get(handle)?.endsWith(".journal") === true;

prototype.write = async function writeCounted(bytes, start, length, offset) {
  if (!isJournal(this)) {
    passFile(paths.get(this));
    return write.call(this, bytes, start, length, offset);
  }
  counts.append += 1;
  if (at.kind === "append" && at.n === counts.append && at.phase === "torn") {
    await write.call(this, bytes, start, length >> 1, offset);
    passPoint("append", counts.append, "torn");
  }
  return write.call(this, bytes, start, length, offset);
};
prototype.sync = async function syncCounted() {
  if (isJournal(this)) passPoint("append", counts.append, "written");
  else passFile(paths.get(this));
  await sync.call(this);
  if (isJournal(this)) passPoint("append", counts.append, "durable");
};
prototype.truncate = function truncateCounted(length) {
  passFile(paths.get(this));
  return truncate.call(this, length);
};

// Requests: the channels of the HTTP library tell when a request is written and answered.

// The writes to a store are numbered as they are sent.
const writes = new WeakMap();
function numberOfWrite(request) {
  const { method, origin } = request;
  if (method === "GET" || String(origin) !== process.env.KILL_ORIGIN) return undefined;
  if (!writes.has(request)) writes.set(request, (counts.write += 1));
  return writes.get(request);
}

function passRequest(channel, phase) {
  subscribe(channel, ({ request }) => {
    const { method, path, body } = request;
    passPoint("write", numberOfWrite(request), phase);
    const text = String(body ?? "").replace(/^(vmware-session-nonce)=[^&]*/, "$1=*");
    passPoint("request", `${method} ${path} ${text}`, phase);
  });
}
passRequest("undici:client:sendHeaders", "before");
passRequest("undici:request:bodySent", "sent");
passRequest("undici:request:trailers", "replied");
subscribe("undici:request:trailers", () => {
  counts.exchange += 1;
  passPoint("exchange", counts.exchange, "replied");
});

process.on("exit", () => {
  const report = process.env.KILL_REPORT;
  if (report !== undefined) fs.writeFileSync(report, JSON.stringify(counts));
});
