/** Scripts of Node.js as users run them, to their end. */

import { execFile } from "node:child_process";

export type Ended = {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
};

/** Runs a script of Node.js to its end, with nothing of the test's own environment but the path. */
export function runNode(
  script: string,
  words: readonly string[],
  cwd: string,
  environment: { readonly [name: string]: string } = {},
): Promise<Ended> {
  const env = { PATH: process.env.PATH ?? "", HOME: cwd, CI: "true", ...environment };
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...words], { cwd, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : (error.code ?? "killed"), stdout, stderr });
    }).stdin?.end();
  });
}
