/** Envelopes of the SOAP interface, as requests are written (wire facts D.3). */

import type { XmlElement } from "../../../lib/xml/xml.ts";
import { writeXml } from "../../../lib/xml/xml-writer.ts";
import type { ManagedRef } from "./client.ts";
import { instanceNamespace, node, refNode } from "./element.ts";

export const soapNamespace = "http://schemas.xmlsoap.org/soap/envelope/";
const schemaNamespace = "http://www.w3.org/2001/XMLSchema";

/** The whole request; the same text is previewed and sent. */
export function envelopeOf(
  method: string,
  self: ManagedRef,
  args: readonly XmlElement[] = [],
): string {
  const call = writeXml(node(method, [refNode("_this", self), ...args]), {
    [instanceNamespace]: "xsi",
  });
  return (
    `<soapenv:Envelope xmlns:soapenv="${soapNamespace}" xmlns:xsd="${schemaNamespace}" ` +
    `xmlns:xsi="${instanceNamespace}"><soapenv:Body>${call}</soapenv:Body></soapenv:Envelope>`
  );
}
