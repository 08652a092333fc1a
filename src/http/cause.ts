/** What stands behind an error of the transport. Knows nothing of the client that made it. */

/** The error itself and its causes, outermost first. */
export function* causeChain(error: Error): Generator<Error> {
  for (let current: unknown = error, depth = 0; depth < 8 && current instanceof Error; depth += 1) {
    yield current;
    // Both families of one host name were tried.
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
}

/** The code at the bottom of an error, such as `ECONNREFUSED`. */
export function causeCode(error: Error): string | undefined {
  for (const one of causeChain(error)) {
    if ("code" in one && typeof one.code === "string") return one.code;
  }
  return undefined;
}
