/** What a shell printed, with everything that differs from run to run replaced. */

import { hostname, userInfo } from "node:os";

export type Outcome = {
  readonly command: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
};

/** Origins of the daemon and of the cloud. */
export type Surroundings = {
  readonly folder: string;
  readonly origin: string;
  readonly cloud: string;
};

export function transcriptOf(outcomes: readonly Outcome[], around: Surroundings): string {
  return outcomes
    .map(({ command, stdout, stderr, code }) => {
      const parts = [`$ ${command}`, normalise(stdout, around)];
      if (stderr !== "") parts.push("--- stderr", normalise(stderr, around));
      parts.push(`--- exit ${code}`);
      return `${parts.filter((part) => part !== "").join("\n")}\n`;
    })
    .join("\n");
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

function normalise(text: string, { folder, origin, cloud }: Surroundings): string {
  const port = new URL(origin).port;
  const cloudPort = new URL(cloud).port;
  return (
    text
      .replaceAll(folder, "FOLDER")
      .replaceAll(`127.0.0.1:${port}`, "127.0.0.1:PORT")
      .replaceAll(`127.0.0.1:${cloudPort}`, "127.0.0.1:CLOUD")
      .replaceAll(` on ${hostname()} `, " on HOST ")
      .replaceAll(` by ${userInfo().username} on HOST `, " by USER on HOST ")
      .replaceAll(`${userInfo().username}@${hostname()}`, "USER@HOST")
      .replaceAll(
        `"who":"${userInfo().username}","host":"${hostname()}"`,
        '"who":"USER","host":"HOST"',
      )
      .replaceAll(uuid, "UUID")
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d[.-]\d{3}Z/g, "TIME")
      .replaceAll(/"created_ms":\d+/g, '"created_ms":0')
      .replaceAll(/\b\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d\b/g, "TIME")
      .replaceAll(/\bafter (?:\d+m)?[\d.]+m?s\b/g, "after TIME")
      .replaceAll(/, in \d+ ms\b/g, ", in TIME")
      // Pauses between tries are partly chance.
      .replaceAll(/\bnext try in \d+ s\b/g, "next try in TIME")
      // How far a task is when it is asked for is chance, and whether it is asked for twice.
      .replaceAll(/^.*(?:: Remote task is |"type":"apply_progress").*\n/gm, "")
      .replaceAll(/"elapsed_seconds":\d+/g, '"elapsed_seconds":0')
      .replaceAll(/\bprocess \d+/g, "process PID")
      .replaceAll(/\buntil \d\d:\d\d:\d\d/g, "until TIME")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: escape codes are to be seen
      .replaceAll(/\u001b/g, "␛")
      .replaceAll("\r\n", "\n")
      .replace(/\n$/, "")
  );
}
