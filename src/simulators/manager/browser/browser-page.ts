/** Pages of the object browser, as far as clients have recorded them (wire facts D.1). */

import { escapeAttribute, escapeText } from "../../../lib/xml/xml-text.ts";
import type { SimulatorReply } from "../../kit/answer.ts";
import type { DataObject, Reference, SoapValue } from "../soap/soap-value.ts";
import { isList, isObject, isReference } from "../soap/soap-value.ts";
import { membersOf } from "../soap/wsdl.ts";

/** What a method's page shows: the form, and below it what came of the last invocation. */
export type MethodPage = {
  readonly object: Reference;
  readonly method: string;
  readonly parameters: readonly string[];
  readonly nonce: string;
  readonly nonceForm: "quoted" | "unquoted" | "absent";
  /** HTML below the form. */
  readonly outcome?: string;
};

export function methodPage(page: MethodPage): string {
  const { object, method, nonce } = page;
  const action = `/mob/?moid=${encodeMoid(object.id)}&method=${method}`;
  const rows = page.parameters.map(
    (name) =>
      `<tr><td class="c2"><strong>${name}</strong> (optional)</td><td class="c1">string</td>` +
      `<td><textarea name="${name}" rows="1" cols="60"></textarea></td></tr>`,
  );
  const field =
    page.nonceForm === "absent"
      ? ""
      : `<input name="vmware-session-nonce" type="hidden" value=${
          page.nonceForm === "quoted" ? `"${nonce}"` : nonce
        }>`;
  const table =
    rows.length === 0
      ? "<p>This method takes no parameters.</p>"
      : tableOf("Parameters", ["NAME", "TYPE", "VALUE"], rows);
  return htmlPage(
    `Managed Object Method : vim.${object.ref}.${method}`,
    `<h1>${escapeText(object.ref)}: <em>${escapeText(object.id)}</em></h1>\n` +
      `<form action="${escapeAttribute(action)}" method="post">\n${field}\n${table}\n` +
      '<p class="right"><a href="#" onclick="document.forms[0].submit()">Invoke Method</a></p>\n' +
      `</form>\n${page.outcome ?? ""}`,
  );
}

/** A reference to a task: its link has the hyphen encoded. */
export function taskOutcome(task: Reference): string {
  return (
    `<p><strong>Method Invocation Result: ManagedObjectReference:${task.ref}</strong></p>\n` +
    tableOf(
      "Managed object",
      ["NAME", "VALUE"],
      [`<tr><td class="c1">ManagedObjectReference:${task.ref}</td><td>${linkTo(task)}</td></tr>`],
    )
  );
}

/** A fault comes with status 200; some pages name its type where a result's would stand. */
export function faultOutcome(
  fault: DataObject,
  message: string,
  form: "typed" | "table",
  version: string,
): string {
  const head =
    form === "typed"
      ? `<p><strong>Method Invocation Result: ${fault.is}</strong></p>\n`
      : "<p><strong>Fault</strong></p>\n";
  const rows = [
    ...membersOf(fault.is, version).map((member) =>
      row(member.name, member.type, fault[member.name], undefined),
    ),
    row("localizedMessage", "string", message, undefined),
  ];
  return `${head}${tableOf(`Table of properties for this Fault: ${fault.is}`, columns, rows)}`;
}

const columns = ["NAME", "TYPE", "VALUE"] as const;

/** A table of properties; `path` leads to this object from the managed one, "" for itself. */
export function objectPage(
  object: Reference,
  properties: DataObject,
  path: string,
  version: string,
): string {
  const rows = membersOf(properties.is, version).map((member) => {
    const inner = path === "" ? member.name : `${path}.${member.name}`;
    const type = member.card === "many" ? `${member.type}[]` : member.type;
    return row(member.name, type, properties[member.name], { object, path: inner });
  });
  const kind = path === "" ? "Managed Object" : "Data Object";
  return htmlPage(
    `${kind} : ${properties.is}`,
    `<h1>${escapeText(`${object.ref}: ${object.id} ${path}`)}</h1>\n` +
      tableOf(`Table of properties for this ${kind}`, columns, rows),
  );
}

type Place = { readonly object: Reference; readonly path: string };

function row(
  name: string,
  type: string,
  value: SoapValue | undefined,
  place: Place | undefined,
): string {
  return (
    `<tr><td class="c2">${name}</td><td class="c1">${type}</td>` +
    `<td class="clean">${cell(value, place)}</td></tr>`
  );
}

/** Strings stand in quotation marks, references are links, data objects lead to their pages. */
function cell(value: SoapValue | undefined, place: Place | undefined): string {
  if (value === undefined) return "Unset";
  if (typeof value === "string") return `&quot;${escapeText(value)}&quot;`;
  if (isReference(value)) return linkTo(value);
  if (isList(value)) {
    const items = value.map((item) => `<li>${cell(item, undefined)}</li>`);
    return items.length === 0 ? "Unset" : `<ul class="noindent">${items.join("")}</ul>`;
  }
  if (!isObject(value)) return escapeText(String(value));
  if (place === undefined) return value.is;
  const path = place.path.replaceAll(".", "%2e");
  const href = `/mob/?moid=${encodeMoid(place.object.id)}&doPath=${path}`;
  return `<a href="${escapeAttribute(href)}">${escapeText(place.path)}</a>`;
}

function linkTo({ id }: Reference): string {
  return `<a href="/mob/?moid=${encodeMoid(id)}">${escapeText(id)}</a>`;
}

/** The hyphen is encoded as well (wire facts D.1). */
function encodeMoid(id: string): string {
  return encodeURIComponent(id).replaceAll("-", "%2d").replaceAll(".", "%2e");
}

function tableOf(title: string, heads: readonly string[], rows: readonly string[]): string {
  const head = heads.map((each) => `<th>${each}</th>`).join("");
  const lines = [`<table summary="${escapeAttribute(title)}">`, `<tr>${head}</tr>`, ...rows];
  return `${lines.join("\n")}\n</table>`;
}

export function htmlPage(title: string, body: string): string {
  return (
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" ' +
    '"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">\n' +
    '<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en" lang="en">\n' +
    `<head><title>${escapeText(title)}</title></head>\n<body>\n` +
    `<p class="right"><a href="/mob/logout">Logout</a></p>\n${body}\n</body>\n</html>\n`
  );
}

export function htmlReply(status: number, body: string): SimulatorReply {
  return { status, headers: { "content-type": "text/html; charset=utf-8" }, body };
}
