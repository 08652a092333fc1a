/**
 * What a person may do about a run, as plain forms. Which forms are shown is a courtesy: the server
 * asks again whether it may be done.
 */

import { plural } from "../../lib/text.ts";
import { type BoardRunDetail, mayDo, type Person } from "../../model/board/board.ts";
import { element, type Markup } from "../html/markup.ts";
import { cut } from "../html/parts.ts";
import { tokenField } from "./frame.ts";

const addressesMax = 8;

/** Nothing where nothing waits; told without a button to whom it is not allowed. */
export function approvalForms(
  run: BoardRunDetail,
  { person, token }: { readonly person: Person; readonly token: string },
): readonly Markup[] {
  const { need } = run;
  if (need === undefined) return [];
  if (!mayDo(person.role, "approve")) {
    const text = "This plan waits for somebody with the role approve.";
    return [element("p", { class: "told" }, text)];
  }
  const boxes = need.kinds.map((kind, at) => consentBox(kind, `kind-${at}`));
  const words =
    boxes.length === 0
      ? "It needs no consent beyond the approval itself."
      : "Agree to each of these by itself; without one of them the plan is not applied.";
  const approve = element(
    "form",
    { method: "post", action: "run-approve" },
    ...hidden(token, { id: run.id, plan: need.planId }),
    element("fieldset", {}, element("legend", { class: "soft" }, words), ...boxes),
    element(
      "div",
      { class: "buttons" },
      element("button", { type: "submit", class: "main" }, "Approve this plan"),
    ),
  );
  return [
    element(
      "section",
      { class: "deed" },
      element("h2", {}, "Waits for an approval"),
      approve,
      ...(run.mayDecline ? [declineForm(run, token)] : []),
    ),
  ];
}

function consentBox(
  { kind, addresses }: { readonly kind: string; readonly addresses: readonly string[] },
  id: string,
): Markup {
  const shown = addresses.slice(0, addressesMax).map(cut).join(", ");
  const left = addresses.length - addressesMax;
  const of = addresses.length === 0 ? "" : ` of ${shown}${left > 0 ? ` and ${left} more` : ""}`;
  const many = addresses.length > 1 ? ` (${plural(addresses.length, "object")})` : "";
  return element(
    "label",
    { class: "kind", for: id },
    element("input", { type: "checkbox", id, name: "kind", value: kind, required: true }),
    element("span", {}, element("b", {}, kind), many, element("code", {}, of)),
  );
}

function declineForm({ id, planId }: BoardRunDetail, token: string): Markup {
  return element(
    "form",
    { method: "post", action: "run-decline" },
    ...hidden(token, { id, plan: planId }),
    element("button", { type: "submit", class: "bad" }, "Decline this plan"),
  );
}

export function cancelForm({ id, planId, status }: BoardRunDetail, token: string): Markup {
  const words =
    status === "running"
      ? "A worker has it. Cancelled, what has begun ends, and nothing else is begun."
      : "No worker has it now. Cancelled, none will take it.";
  return element(
    "section",
    { class: "deed" },
    element("p", {}, words),
    element(
      "form",
      { method: "post", action: "run-cancel" },
      ...hidden(token, { id, plan: planId }),
      element("button", { type: "submit", class: "bad" }, "Cancel this run"),
    ),
  );
}

function hidden(token: string, values: { readonly [name: string]: string }): readonly Markup[] {
  const fields = Object.entries(values).map(([name, value]) =>
    element("input", { type: "hidden", name, value }),
  );
  return [tokenField(token), ...fields];
}
