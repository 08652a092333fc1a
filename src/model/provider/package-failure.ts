/** A fault of a provider package: told apart from our own, and from what a server refuses. */

import { RemoteError } from "../operation/remote-error.ts";

/** Thrown by the pure half of a package's types, and while a package is loaded. */
export class PackageFailure extends Error {
  /** As `vmform-provider-dns@1.2.3`. */
  readonly package: string;

  constructor(name: string, what: string, cause?: unknown) {
    super(failureText(name, what), cause === undefined ? undefined : { cause });
    this.name = "PackageFailure";
    this.package = name;
  }
}

/**
 * The same of the effectful half, which the engine survives: other resources go on, and what was
 * sent is looked for.
 */
export class RemotePackageFailure extends RemoteError {
  constructor(name: string, what: string, effect: "none" | "unknown", cause?: unknown) {
    // What people look up: the engine's own codes say what became of an operation.
    super({ kind: "protocol", effect, message: `${failureText(name, what)} (PKG001)`, cause });
    this.name = "RemotePackageFailure";
  }
}

function failureText(name: string, what: string): string {
  return `the provider package ${name} failed: ${what}`;
}
