/** Errors of the system, such as a file that is not there. */

export type SystemError = Error & { readonly code: string; readonly path?: string };

export function isSystemError(error: unknown): error is SystemError {
  return (
    error instanceof Error &&
    "code" in error &&
    "syscall" in error &&
    typeof error.code === "string"
  );
}
