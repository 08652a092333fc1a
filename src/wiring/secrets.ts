/** The secrets of one run: where its references lead on this machine. */

import { homedir } from "node:os";
import type { HttpClientFactory } from "../http/call.ts";
import type { SecretMask } from "../lib/mask.ts";
import type { SecretReference } from "../model/value/secret-reference.ts";
import { createSecretReader, type SecretReader } from "../secrets/reader.ts";
import { clock } from "./clock.ts";
import { readSettingsFile } from "./providers.ts";

/** A password manager may ask for a touch or a code. */
const commandLimitMs = 120_000;

/** Files and commands are relative to `directory`, the folder of the configuration. */
export function secretReader(directory: string, mask: SecretMask): SecretReader {
  const readFile = (path: string): Promise<string> => readSettingsFile(directory, path);
  const { env: environment } = process;
  return createSecretReader({
    mask,
    environment,
    readFile,
    runCommand: async (words) => {
      const { runCommand } = await import("../secrets/command.ts");
      return runCommand(words, { directory, environment, limitMs: commandLimitMs });
    },
    readVault: async (reference) => {
      const { readVault } = await import("../secrets/vault.ts");
      const http = (): Promise<HttpClientFactory> => clients(mask);
      return readVault({ environment, home: homedir(), readFile, mask, http }, reference);
    },
  });
}

/**
 * The same for a setting of vmform itself. The configuration asks for it: recorded state says
 * nothing of where it is itself, so a command may be run.
 */
export function settingSecretReader(
  directory: string,
  mask: SecretMask,
  reference: SecretReference | undefined,
): SecretReader {
  const secrets = secretReader(directory, mask);
  if (reference?.kind === "command") secrets.allowCommands({ command: reference.words });
  return secrets;
}

/** Nothing of this is logged: neither is the run's, nor are its bodies for anybody. */
async function clients(mask: SecretMask): Promise<HttpClientFactory> {
  const { createHttpClients } = await import("../http/client.ts");
  const { env: environment } = process;
  return createHttpClients({ clock, random: Math.random, environment, mask, readOnly: true });
}
