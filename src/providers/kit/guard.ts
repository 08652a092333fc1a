/** Nothing secret leaves in an error, nor in the log: bodies are quoted in messages. */

import { createSecretMask } from "../../lib/mask.ts";
import { RemoteError, retold } from "../../model/operation/remote-error.ts";

/** What is secret in one connection: its password, and what it is let in by. */
export type Guard = {
  /** Hears of a secret before it is used. */
  readonly learn: (secret: string) => void;
  /** The text without secrets. */
  readonly hide: (text: string) => string;
  /** Does work whose errors must not hold the secrets. */
  readonly run: <T>(work: () => Promise<T>) => Promise<T>;
};

/** `hideMore`: what is secret by its form, whatever it is. */
export function guardSecrets(
  secrets: readonly string[],
  hideMore: (text: string) => string = (text) => text,
): Guard {
  const mask = createSecretMask(secrets);
  const hide = (text: string): string => hideMore(mask.mask(text));
  return {
    learn: (secret) => mask.add(secret),
    hide,
    run: async (work) => {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof RemoteError)) throw error;
        const message = hide(error.message);
        throw message === error.message ? error : retold(error, message);
      }
    },
  };
}
