/**
 * Runs a program for as long as its own standard input stays open, and ends as the program ends:
 * whatever becomes of the test that holds the other end, even SIGKILL, nothing outlives it.
 */

import { spawn } from "node:child_process";

/** The program may tidy up behind itself; this long, milliseconds. */
const graceMs = 5000;

const [command = "", ...words] = process.argv.slice(2);
const child = spawn(command, words, { stdio: ["ignore", "inherit", "inherit"] });

child.once("error", (error) => {
  console.error(`${command} cannot be started: ${error.message}`);
  process.exit(127);
});
child.once("exit", (code) => process.exit(code ?? 1));

const end = () => {
  child.kill("SIGTERM");
  setTimeout(() => child.kill("SIGKILL"), graceMs).unref();
};
process.stdin.once("close", end).resume();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, end);
