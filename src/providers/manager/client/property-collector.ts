/**
 * Reading properties in bulk: what is asked of the property collector, and what it answers. Unset
 * optional properties are left out of an answer; those that may not be read, or that the server
 * does not know, are told apart from them (wire facts D.3).
 */

import type { XmlElement } from "../../../lib/xml/xml.ts";
import { refusal } from "../../kit/refusal.ts";
import type { ManagedObject, ManagedRef, PropertyPaths, SoapFault } from "./client.ts";
import { childIn, listIn, node, refNode, refOf, textIn, textNode } from "./element.ts";
import { readMethodFault } from "./fault.ts";

/** Arguments of `RetrievePropertiesEx`; `objects` as `objectSet` or `viewSet` makes them. */
export function retrieveArguments(
  paths: PropertyPaths,
  objects: readonly XmlElement[],
  pageSize: number,
): readonly XmlElement[] {
  const sets = Object.entries(paths).map(([type, names]) =>
    node("propSet", [
      textNode("type", type),
      textNode("all", false),
      ...names.map((name) => textNode("pathSet", name)),
    ]),
  );
  return [
    node("specSet", [...sets, ...objects]),
    node("options", [textNode("maxObjects", pageSize)]),
  ];
}

/** These objects. */
export function objectSet(refs: readonly ManagedRef[]): readonly XmlElement[] {
  return refs.map((ref) => node("objectSet", [refNode("obj", ref)]));
}

/** All objects that a view shows, without the view itself. */
export function viewSet(view: ManagedRef): readonly XmlElement[] {
  const traversal = [
    textNode("name", "view"),
    textNode("type", view.type),
    textNode("path", "view"),
    textNode("skip", false),
  ];
  return [
    node("objectSet", [
      refNode("obj", view),
      textNode("skip", true),
      node("selectSet", traversal, "TraversalSpec"),
    ]),
  ];
}

export type RetrievedPage = {
  readonly objects: readonly ManagedObject[];
  /** More is to be fetched with it. */
  readonly token?: string;
};

/**
 * Of the response of either method; an absent result holds no objects. Throws `RemoteError` of kind
 * protocol for an object without type or id.
 */
export function readPage(response: XmlElement): RetrievedPage {
  const result = childIn(response, "returnval");
  const token = textIn(result, "token") ?? "";
  return {
    objects: listIn(result, "objects").map((element) => readObject(element)),
    ...(token === "" ? {} : { token }),
  };
}

function readObject(element: XmlElement): ManagedObject {
  const ref = refOf(childIn(element, "obj"));
  if (ref === undefined) {
    throw refusal("protocol", "the host manager shows properties and not of which object");
  }
  const values = new Map<string, XmlElement>();
  for (const property of listIn(element, "propSet")) {
    const name = textIn(property, "name");
    const value = childIn(property, "val");
    if (name !== undefined && value !== undefined) values.set(name, value);
  }
  const refused = new Map<string, SoapFault>();
  const unknown = new Set<string>();
  for (const missing of listIn(element, "missingSet")) {
    const path = textIn(missing, "path") ?? "";
    const fault = readMethodFault(childIn(missing, "fault") ?? missing);
    if (fault.type === "InvalidProperty") unknown.add(path);
    else refused.set(path, fault);
  }
  return { ref, values, refused, unknown };
}

/** One object of all pages that show it. */
export function mergeObjects(objects: readonly ManagedObject[]): Map<string, ManagedObject> {
  const merged = new Map<string, ManagedObject>();
  for (const object of objects) {
    const before = merged.get(object.ref.id);
    merged.set(
      object.ref.id,
      before === undefined
        ? object
        : {
            ref: object.ref,
            values: new Map([...before.values, ...object.values]),
            refused: new Map([...before.refused, ...object.refused]),
            unknown: new Set([...before.unknown, ...object.unknown]),
          },
    );
  }
  return merged;
}

/** The paths without those that a server was found not to know; types without any path stay out. */
export function knownPaths(paths: PropertyPaths, unknown: ReadonlySet<string>): PropertyPaths {
  return Object.fromEntries(
    Object.entries(paths)
      .map(([type, names]) => [type, names.filter((name) => !unknown.has(name))] as const)
      .filter(([, names]) => names.length > 0),
  );
}

/** Which of the paths an `InvalidProperty` fault is about: it names the path, or its last part. */
export function pathsNamed(paths: PropertyPaths, name: string): readonly string[] {
  return Object.values(paths)
    .flat()
    .filter((path) => name !== "" && (path === name || path.endsWith(`.${name}`)));
}
