/**
 * Reading the secrets that references stand for: each once in a run, and masked everywhere before
 * anybody gets it. Commands are run only where the configuration, or a plan that the user named,
 * asks for them: what recorded state or a server says never starts a program.
 */

import type { SecretMask } from "../lib/mask.ts";
import { commandsIn, type SecretReference } from "../model/value/secret-reference.ts";
import type { PlannedValue } from "../model/value/value.ts";
import type { CommandResult } from "./command.ts";
import { SecretError } from "./secret-error.ts";

export type SecretPorts = {
  readonly mask: SecretMask;
  readonly environment: { readonly [name: string]: string | undefined };
  /** Reads a file that settings name. */
  readonly readFile: (path: string) => Promise<string>;
  /** Runs a program without a shell. Absent: none may be run here, and why. */
  readonly runCommand: ((words: readonly string[]) => Promise<CommandResult>) | string;
  /** Reads a field. Throws `SecretError`. */
  readonly readVault: (
    reference: Extract<SecretReference, { readonly kind: "vault" }>,
  ) => Promise<string>;
};

export type SecretReader = {
  /** Never empty. Throws `SecretError`, which quotes nothing of a secret. */
  readonly read: (reference: SecretReference) => Promise<string>;
  /** Commands in this value may be run from now on. */
  readonly allowCommands: (value: PlannedValue) => void;
};

export function createSecretReader(ports: SecretPorts): SecretReader {
  const known = new Map<string, Promise<string>>();
  const allowed = new Set<string>();
  const readOnce = async (reference: SecretReference): Promise<string> => {
    const secret = await readNow(ports, reference);
    ports.mask.add(secret);
    return secret;
  };
  return {
    read: (reference) => {
      const key = JSON.stringify(reference);
      if (reference.kind === "command" && !allowed.has(JSON.stringify(reference.words))) {
        return Promise.reject(notAsked(reference.words));
      }
      const reading = known.get(key) ?? readOnce(reference);
      known.set(key, reading);
      return reading;
    },
    allowCommands: (value) => {
      for (const words of commandsIn(value)) allowed.add(JSON.stringify(words));
    },
  };
}

async function readNow(ports: SecretPorts, reference: SecretReference): Promise<string> {
  switch (reference.kind) {
    case "env": {
      const given = ports.environment[reference.name];
      if (given === undefined) {
        throw new SecretError(`environment variable ${reference.name} is not set`);
      }
      if (given === "") {
        throw new SecretError(`environment variable ${reference.name} is set and empty`);
      }
      return given;
    }
    case "file": {
      const { path } = reference;
      const text = await ports.readFile(path).catch((cause: unknown) => {
        throw new SecretError(`cannot read ${path}: ${reasonOf(cause)}`, cause);
      });
      // As editors and shells of Windows write it: no server would take it for the secret.
      if (text.includes("\u0000") || text.includes("\ufffd")) {
        failed(`the file ${path} is not in UTF-8; save it as that`);
      }
      return withoutLineEnd(text.replace(/^\ufeff/, "")) ?? failed(`the file ${path} is empty`);
    }
    case "command":
      return readCommand(ports, reference.words);
    case "vault":
      return ports.readVault(reference);
  }
}

/** A secret stands near the top; each one costs time wherever text is masked. */
const maskedLinesMax = 20;

async function readCommand(
  { runCommand, mask }: SecretPorts,
  words: readonly string[],
): Promise<string> {
  const [program = ""] = words;
  if (typeof runCommand === "string") throw new SecretError(runCommand);
  const result = await runCommand(words);
  if (result.kind === "failed") {
    // What it wrote before it failed may be a secret, or half of one, in any of its lines.
    const lines = result.output.split("\n").slice(0, maskedLinesMax);
    for (const written of [result.output, ...lines]) mask.add(written);
    throw new SecretError(`the command ${program} ${result.why}`);
  }
  return withoutLineEnd(result.output) ?? failed(`the command ${program} printed nothing`);
}

function notAsked([program = ""]: readonly string[]): SecretError {
  return new SecretError(
    `recorded settings name the command ${program}, and the configuration does not name it so: ` +
      "what only recorded state asks for is never run",
  );
}

function withoutLineEnd(text: string): string | undefined {
  const secret = text.replace(/\r?\n$/, "");
  return secret === "" ? undefined : secret;
}

function failed(message: string): never {
  throw new SecretError(message);
}

/** `ENOENT: no such file or directory, open 'password'`. */
function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
