/** A secret that cannot be had. */

/** A secret that cannot be had; the message begins in lower case and quotes nothing of it. */
export class SecretError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "SecretError";
  }
}
