/**
 * Links that an object offers. A `rel` alone is ambiguous: `enable` is nested virtualization on a
 * VM and downloading on a vApp (wire facts A.3.3), so the end of the href counts too.
 */

import { attributeOf, childrenOf, type XmlElement } from "../../lib/xml.ts";
import { apiPathOf } from "./href.ts";

export type OfferedLink = {
  /** As `pathOf` gives it. */
  readonly path: string;
  readonly type?: string;
  readonly name?: string;
};

/** First link with this rel whose path ends with `suffix`, such as `/action/relocate`. */
export function linkTo(element: XmlElement, rel: string, suffix: string): OfferedLink | undefined {
  for (const link of childrenOf(element, element.namespace, "Link")) {
    if (attributeOf(link, "rel") !== rel) continue;
    const path = apiPathOf(attributeOf(link, "href") ?? "");
    if (path === undefined || !path.endsWith(suffix)) continue;
    const [type, name] = [attributeOf(link, "type"), attributeOf(link, "name")];
    return {
      path,
      ...(type === undefined ? {} : { type }),
      ...(name === undefined ? {} : { name }),
    };
  }
  return undefined;
}
