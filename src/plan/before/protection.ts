/** Protection: which recorded objects must not be destroyed, and who says so. */

import type { Desired, DesiredProtection } from "../../model/plan/desired.ts";
import type { RecordedObject } from "../../model/recorded/recorded.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import { type Address, resourceOf } from "../../model/value/address.ts";
import { problem } from "../codes.ts";
import { matches } from "./selection.ts";

/**
 * `configured`: the configuration protects the resource, and with it instances that left it.
 * `left`: it was protected when last applied, and left a sound configuration without a word.
 * `recorded`: it was protected when last applied, and no sound configuration has lifted that.
 * `unknown`: nobody recorded whether it was.
 */
export type Protection = "configured" | "left" | "recorded" | "unknown";

type Protected = Pick<RecordedObject, "address" | "preventDestroy">;

/**
 * Judges recorded objects. A sound configuration decides on what it declares, and on what it gives
 * up by `removed`; for the rest, and where it is not used, what was last applied holds.
 */
export function protectionIn(
  desired: Pick<Desired, "instances" | "keeping" | "protection" | "removed">,
): (record: Protected) => Protection | undefined {
  const { keeping, removed } = desired;
  if (keeping?.by === "record") {
    return ({ preventDestroy }) => {
      if (preventDestroy === undefined) return "unknown";
      return preventDestroy ? "recorded" : undefined;
    };
  }
  const said = keeping ?? desired.protection ?? protectionOf(desired.instances);
  const configured = new Set(said.protected);
  const lifted = new Set(said.lifted);
  const givenUp = removed.map(({ from }) => from);
  return ({ address, preventDestroy }) => {
    for (const one of [address, resourceOf(address)]) {
      if (configured.has(one)) return "configured";
      if (lifted.has(one)) return undefined;
    }
    return preventDestroy === true && !matches(address, givenUp) ? "left" : undefined;
  };
}

function protectionOf(instances: Desired["instances"]): DesiredProtection {
  const of = (preventDestroy: boolean): readonly Address[] =>
    instances.flatMap(({ address, lifecycle }) =>
      lifecycle.preventDestroy === preventDestroy ? [address, resourceOf(address)] : [],
    );
  return { protected: of(true), lifted: of(false) };
}

/** `what` would become of it: `destroy` or `replace`. */
export function prevented(
  at: { readonly address: Address },
  what: string,
  protection: Protection,
): Diagnostic {
  return problem(at, "PLN007", {
    detail: `The plan would ${what} it, and ${reasons[protection]}.`,
    fix: fixes[protection](at.address),
  });
}

const reasons: { readonly [protection in Protection]: string } = {
  configured: "lifecycle.prevent_destroy is set",
  left: "lifecycle.prevent_destroy was set when it was last applied",
  recorded:
    "lifecycle.prevent_destroy was set when it was last applied, which holds while the " +
    "configuration is not used",
  unknown:
    "whether lifecycle.prevent_destroy was set when it was last applied is not recorded, and the " +
    "configuration is not used",
};

const mend = () => "Mend or restore the configuration: a sound one decides.";

const fixes: { readonly [protection in Protection]: (address: Address) => string } = {
  configured: () => "Undo the change, or remove prevent_destroy.",
  left: (address) => `If it shall go, say so in the block removed: [{ from: ${quoted(address)} }].`,
  recorded: mend,
  unknown: mend,
};

function quoted(address: Address): string {
  return address.includes("[") ? `'${address.replaceAll("'", "''")}'` : address;
}
