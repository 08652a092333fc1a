/**
 * What the code of provider packages does outside of any call: it may fail where nobody waits for
 * it, print where a document is expected, and keep the process when all is done.
 */

import { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { exitCodes } from "../cli/exit-codes.ts";
import type { Terminal } from "../cli/terminal/terminal.ts";
import type { SecretMask } from "../lib/mask.ts";

export type Watch = { readonly mask: SecretMask; readonly terminal: Terminal };

/** Names of the packages that were loaded, in this process. */
const loaded = new Set<string>();

/** Whether there is code of packages that may keep the process. */
export function hasForeignCode(): boolean {
  return loaded.size > 0;
}

/** Before the code of a package is loaded; `name` is as a person would call it. */
export function watchPackage(name: string, watch: Watch): void {
  loaded.add(name);
  if (loaded.size > 1) return;
  const stream = new Writable({
    write: (chunk: Uint8Array, _encoding, done) => {
      watch.terminal.writeError(watch.mask.mask(Buffer.from(chunk).toString("utf8")));
      done();
    },
  });
  // Standard output is vmform's own, and may be one document.
  globalThis.console = new console.Console({ stdout: stream, stderr: stream });
  process.on("uncaughtException", (error) => tell(error, watch));
  process.on("unhandledRejection", (error) => tell(error, watch));
}

/** A fault of ours ends the process; one of a package is told, and the run goes on. */
function tell(error: unknown, { mask, terminal }: Watch): void {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  if (firstFrame(stack).includes(own)) {
    terminal.writeError(
      `vmform: a fault of vmform itself, please report it:\n${mask.mask(stack)}\n`,
    );
    terminal.exit(exitCodes.bug);
    return;
  }
  const names = [...loaded].join(", or ");
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const what = mask.mask(text.replaceAll(/\s+/g, " ").slice(0, 500));
  terminal.writeError(
    `warning: the provider package ${names} failed outside of any call: ${what} (PKG001)\n`,
  );
}

/** Where it was thrown, as far as that is no matter of Node.js. */
function firstFrame(stack: string): string {
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
  return frames.find((line) => !line.includes("node:")) ?? "";
}

/** The folder of this program, as stacks name it. */
const own = fileURLToPath(new URL(".", import.meta.url));
