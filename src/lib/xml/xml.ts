/**
 * XML as data: namespace URI and local name (prefixes are gone), every value the text that was
 * written with its references decoded exactly once, nothing coerced or trimmed, children always a
 * list.
 */

export type XmlAttribute = {
  /** Namespace URI; "" for an attribute without prefix, whatever the element's namespace. */
  readonly namespace: string;
  readonly local: string;
  readonly value: string;
};

export type XmlElement = {
  /** Namespace URI; "" for none. */
  readonly namespace: string;
  readonly local: string;
  readonly attributes: readonly XmlAttribute[];
  /** Elements and texts in order. Texts are not empty and never stand side by side. */
  readonly children: readonly (XmlElement | string)[];
};

/** Child elements with this expanded name, in order; none is an empty list. */
export function childrenOf(
  element: XmlElement,
  namespace: string,
  local: string,
): readonly XmlElement[] {
  return element.children.filter(
    (child): child is XmlElement =>
      typeof child !== "string" && child.local === local && child.namespace === namespace,
  );
}

/** Value of an attribute; without `namespace`, of one without prefix. */
export function attributeOf(
  element: XmlElement,
  local: string,
  namespace = "",
): string | undefined {
  return element.attributes.find((each) => each.local === local && each.namespace === namespace)
    ?.value;
}

/** The element's own text, without that of its children; spaces are kept. */
export function textOf(element: XmlElement): string {
  return element.children.filter((child) => typeof child === "string").join("");
}
