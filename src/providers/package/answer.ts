/** Calls into the code of a package: what they give is copied, checked, or told as its fault. */

import { compileSchema, fits } from "../../lib/schema/schema.ts";
import { PackageFailure } from "../../model/provider/package-failure.ts";
import { copyOf, NoValue } from "./value.ts";

/** One package, as its faults are told. */
export type Door = {
  /** As `vmform-provider-dns@1.2.3`. */
  readonly label: string;
  /** The text without secrets. */
  readonly hide: (text: string) => string;
};

/** A frozen copy of what fits. Throws `NoValue`. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the type
export function answer<T>(shape: object, value: unknown, at: string): T {
  const copy: unknown = value === undefined ? null : copyOf(value, at);
  const check = compileSchema(shape);
  if (fits<T>(check, copy)) return copy;
  // Of alternatives, the first that was tried says the most.
  const [problem] = check(copy).toSorted((a, b) => b.path.length - a.path.length);
  const { path = "", message = "does not fit", params = {} } = problem ?? {};
  const name = params.additionalProperty ?? params.missingProperty;
  const whose = typeof name === "string" ? `: ${name}` : "";
  throw new NoValue(`${at}${path.replaceAll("/", ".")} ${message}${whose}`);
}

/** A call of the pure half. Throws `PackageFailure` for whatever goes wrong. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the type
export function call<T>(door: Door, what: string, shape: object, work: () => unknown): T {
  try {
    return answer<T>(shape, work(), "what it gives back");
  } catch (error) {
    throw failureOf(door, what, error);
  }
}

function failureOf(door: Door, what: string, error: unknown): PackageFailure {
  if (error instanceof PackageFailure) return error;
  return new PackageFailure(door.label, door.hide(`${what}: ${reasonOf(error)}`), error);
}

/** In one line, without a stack. */
export function reasonOf(error: unknown): string {
  if (error instanceof NoValue) return error.message;
  const text =
    error instanceof Error ? `${error.name}: ${error.message}` : `threw ${kindOf(error)}`;
  return text.replaceAll(/\s+/g, " ").slice(0, 500);
}

function kindOf(error: unknown): string {
  return typeof error === "string" ? JSON.stringify(error) : `a value of kind ${typeof error}`;
}
