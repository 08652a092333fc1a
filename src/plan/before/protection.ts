/** Protection: which recorded objects must not be destroyed, and who says so. */

import type { Desired } from "../../model/plan/desired.ts";
import type { RecordedObject } from "../../model/recorded/recorded.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import { type Address, resourceOf } from "../../model/value/address.ts";
import { problem } from "../codes.ts";

/**
 * `configured`: the configuration protects the resource, and with it instances that left it.
 * `recorded`: it was protected when last applied, and no sound configuration has lifted that.
 * `unknown`: nobody recorded whether it was.
 */
export type Protection = "configured" | "recorded" | "unknown";

type Protected = Pick<RecordedObject, "address" | "preventDestroy">;

/** Judges recorded objects: a sound configuration decides alone, and of another nothing is used. */
export function protectionIn({
  instances,
  keeping,
}: Pick<Desired, "instances" | "keeping">): (record: Protected) => Protection | undefined {
  if (keeping?.by === "record") {
    return ({ preventDestroy }) => {
      if (preventDestroy === undefined) return "unknown";
      return preventDestroy ? "recorded" : undefined;
    };
  }
  const protecting = instances.filter(({ lifecycle }) => lifecycle.preventDestroy);
  const configured = new Set(
    keeping?.protected ?? protecting.map(({ address }) => resourceOf(address)),
  );
  return ({ address }) => (configured.has(resourceOf(address)) ? "configured" : undefined);
}

/** `what` would become of it: `destroy` or `replace`. */
export function prevented(
  at: { readonly address: Address },
  what: string,
  protection: Protection,
): Diagnostic {
  return problem(at, "PLN007", {
    detail: `The plan would ${what} it, and ${reasons[protection]}.`,
    fix:
      protection === "configured"
        ? "Undo the change, or remove prevent_destroy."
        : "Mend or restore the configuration: a sound one decides.",
  });
}

const reasons: { readonly [protection in Protection]: string } = {
  configured: "lifecycle.prevent_destroy is set",
  recorded:
    "lifecycle.prevent_destroy was set when it was last applied, which holds while the " +
    "configuration is not used",
  unknown:
    "whether lifecycle.prevent_destroy was set when it was last applied is not recorded, and the " +
    "configuration is not used",
};
