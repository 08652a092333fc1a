/** Protection: which recorded objects must not be destroyed, and who says so. */

import { type Address, resourceOf } from "../../model/address.ts";
import type { Desired, Keeping } from "../../model/desired.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { RecordedObject } from "../../model/recorded.ts";
import { problem } from "../codes.ts";
import { matches } from "./selection.ts";

/**
 * `configured`: the configuration protects the resource, and with it instances that left it.
 * `recorded`: it was protected when last applied, and the configuration cannot be trusted to have
 * lifted that. `unknown`: nothing is recorded, and the configuration cannot be read.
 */
export type Protection = "configured" | "recorded" | "unknown";

type Protected = Pick<RecordedObject, "address" | "preventDestroy">;

/** Judges recorded objects. A sound configuration decides alone. */
export function protectionIn(
  desired: Pick<Desired, "instances" | "keeping">,
): (record: Protected) => Protection | undefined {
  const keeping = desired.keeping ?? keepingOf(desired);
  const configured = new Set(keeping.protected);
  const { trust, released } = keeping;
  const isReleased = (address: Address): boolean => matches(address, released);
  return ({ address, preventDestroy }) => {
    if (configured.has(resourceOf(address))) return "configured";
    if (trust === "sound" || preventDestroy === false) return undefined;
    if (preventDestroy === true) {
      return trust === "empty" && isReleased(address) ? undefined : "recorded";
    }
    return trust === "flawed" && !isReleased(address) ? "unknown" : undefined;
  };
}

function keepingOf({ instances }: Pick<Desired, "instances">): Keeping {
  const protecting = instances.filter(({ lifecycle }) => lifecycle.preventDestroy);
  const addresses = protecting.map(({ address }) => resourceOf(address));
  return { declared: [], protected: addresses, trust: "sound", released: [] };
}

/** `what` would become of it: `destroy` or `replace`. */
export function prevented(
  at: { readonly address: Address },
  what: string,
  protection: Protection,
  trust: Keeping["trust"] = "sound",
): Diagnostic {
  return problem(at, "PLN007", {
    detail: `The plan would ${what} it, and ${why(protection, trust)}.`,
    fix: wayOut(protection, trust),
  });
}

function why(protection: Protection, trust: Keeping["trust"]): string {
  switch (protection) {
    case "configured":
      return "lifecycle.prevent_destroy is set";
    case "recorded": {
      const now = trust === "empty" ? "declares no resource" : "has errors";
      const then = "lifecycle.prevent_destroy was set when it was last applied";
      return `${then}; the configuration ${now}`;
    }
    case "unknown":
      return "whether lifecycle.prevent_destroy is set can be read neither here nor in its record";
  }
}

function wayOut(protection: Protection, trust: Keeping["trust"]): string {
  if (protection === "configured") return "Undo the change, or remove prevent_destroy.";
  if (trust === "empty") return "Restore the configuration, or give the object up with removed.";
  return "Mend the configuration: vmform validate";
}
