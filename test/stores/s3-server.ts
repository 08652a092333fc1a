/**
 * Servers of S3 for tests: moto and versitygw, which nobody here wrote, and one of ours that passes
 * over conditions as s3rver and some gateways do.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createSocket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AwsClient } from "aws4fetch";
import { bucket, keys } from "./s3-place.ts";

export type RunningS3 = { readonly endpoint: string; readonly stop: () => Promise<void> };

/** `moto_server`, beside the Python that `.ci/run` makes; undefined where it is not there. */
export const motoServer: string | undefined = pathOf("moto", "VMFORM_FOREIGN_PYTHON", (python) =>
  join(dirname(python), "moto_server"),
);
export const versitygw = pathOf("versitygw", "VMFORM_VERSITYGW", (path) => path);

function pathOf(
  what: string,
  variable: string,
  use: (value: string) => string,
): string | undefined {
  const value = process.env[variable] ?? "";
  const program = value === "" ? undefined : use(value);
  if (program !== undefined && existsSync(program)) return program;
  console.warn(
    `!! ${variable} names no ${what}, and what is tested with it is skipped; .ci/run makes it ` +
      "and sets that",
  );
  return undefined;
}

export async function startMoto(program: string): Promise<RunningS3> {
  const port = await freePort();
  return started(program, ["-H", "127.0.0.1", "-p", String(port)], port, {});
}

/** One that can be switched off, and on again with what it kept. */
export type SwitchedS3 = RunningS3 & {
  readonly off: () => Promise<void>;
  readonly on: () => Promise<void>;
};

/** Without metadata it passes over conditions. */
export async function startVersity(program: string, metadata: boolean): Promise<SwitchedS3> {
  const folder = mkdtempSync(join(tmpdir(), "vmform-versity-"));
  const [data, beside] = [join(folder, "data"), join(folder, "meta")];
  for (const one of [data, beside]) mkdirSync(one);
  const port = await freePort();
  const kept = metadata ? ["--sidecar", beside] : ["--nometa"];
  const words = ["--port", `127.0.0.1:${port}`, "posix", ...kept, data];
  const environment = {
    ROOT_ACCESS_KEY_ID: keys.accessKeyId,
    ROOT_SECRET_ACCESS_KEY: keys.secretAccessKey,
  };
  const start = (): Promise<RunningS3> => started(program, words, port, environment);
  let running = await start();
  return {
    endpoint: running.endpoint,
    off: () => running.stop(),
    on: async () => {
      running = await start();
    },
    stop: async () => {
      await running.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function started(
  program: string,
  words: readonly string[],
  port: number,
  environment: { readonly [name: string]: string },
): Promise<RunningS3> {
  const env = { PATH: process.env.PATH ?? "", ...environment };
  const child = spawn(program, words, { env, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const endpoint = `http://127.0.0.1:${port}`;
  for (let count = 1; ; count += 1) {
    if (await makeBucket(endpoint)) break;
    if (child.exitCode !== null || count === 300) throw new Error(`${program}: ${said}`);
    await sleep(100);
  }
  return { endpoint, stop: () => ended(child) };
}

export async function makeBucket(endpoint: string, name = bucket): Promise<boolean> {
  const client = new AwsClient({ ...keys, service: "s3", region: "us-east-1", retries: 0 });
  try {
    const reply = await client.fetch(`${endpoint}/${name}`, { method: "PUT" });
    // What it kept has one already.
    return reply.ok || reply.status === 409;
  } catch {
    return false;
  }
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.signalCode !== null || child.exitCode !== null) resolve();
    child.once("close", () => resolve());
    child.kill("SIGKILL");
  });
}

async function freePort(): Promise<number> {
  const socket = createSocket();
  await new Promise<void>((resolve) => socket.listen(0, "127.0.0.1", resolve));
  const { port } = socket.address() as AddressInfo;
  await new Promise((resolve) => socket.close(resolve));
  return port;
}

/** Keeps objects, and passes over the conditions that are named. */
export async function startCareless(
  passesOver: readonly ("if-match" | "if-none-match")[],
): Promise<RunningS3> {
  const objects = new Map<string, string>();
  const tag = (text: string): string => `"${createHash("md5").update(text).digest("hex")}"`;
  const server = createServer((request, response) => {
    const { method, url = "", headers } = request;
    const present = objects.get(url);
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      const holds = (name: "if-match" | "if-none-match"): boolean => {
        const value = headers[name];
        if (value === undefined || passesOver.includes(name)) return true;
        if (name === "if-none-match") return present === undefined;
        return present !== undefined && tag(present) === value;
      };
      if (method === "GET") {
        if (present === undefined) response.writeHead(404).end("<Code>NoSuchKey</Code>");
        else response.writeHead(200, { etag: tag(present) }).end(present);
      } else if (method === "DELETE" && present === undefined) {
        response.writeHead(204).end();
      } else if (method === "DELETE" && holds("if-match")) {
        objects.delete(url);
        response.writeHead(204).end();
      } else if (method === "PUT" && holds("if-match") && holds("if-none-match")) {
        objects.set(url, body);
        response.writeHead(200, { etag: tag(body) }).end();
      } else {
        response.writeHead(412).end("<Code>PreconditionFailed</Code>");
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
