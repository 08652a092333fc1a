/** Hooks are told from this machine: programs, servers, and the secrets that they need. */

import type { CommandEnvironment } from "../commands/environment.ts";
import type { SecretMask } from "../lib/mask.ts";
import { clock } from "./clock.ts";
import { settingSecretReader } from "./secrets.ts";

type SendHook = NonNullable<CommandEnvironment["sendHook"]>;

/** Few runs tell anybody: what does it is loaded then. */
export function hookSender(mask: SecretMask, version: string): SendHook {
  const { env: environment } = process;
  return async (hook, message) => {
    const { sendHook } = await import("../hooks/send.ts");
    const ports = {
      ...{ clock, mask, version, environment },
      readSecret: async (
        { directory }: Parameters<SendHook>[0],
        reference: Parameters<typeof settingSecretReader>[2] & object,
      ): Promise<string> => settingSecretReader(directory, mask, reference).read(reference),
      http: async () => {
        const { createHttpClients } = await import("../http/client.ts");
        return createHttpClients({
          clock,
          random: Math.random,
          environment,
          mask,
          readOnly: false,
        });
      },
    };
    return sendHook(ports, hook, message);
  };
}
