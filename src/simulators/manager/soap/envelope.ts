/** SOAP envelopes: the one call of a request, and replies with a result or a fault. */

import type { XmlElement } from "../../../lib/xml/xml.ts";
import { parseXml, XmlError } from "../../../lib/xml/xml-reader.ts";
import { escapeText } from "../../../lib/xml/xml-text.ts";
import type { SimulatorReply } from "../../kit/answer.ts";
import type { ManagerFault } from "./fault.ts";
import { faultObject, invalidRequest } from "./fault.ts";
import { schemaInstance, vimNamespace } from "./soap-decode.ts";
import { encodeMember } from "./soap-encode.ts";

const soapNamespace = "http://schemas.xmlsoap.org/soap/envelope/";

/** The element of the body of a request: its name is the method's. */
export function readEnvelope(body: string): XmlElement | ManagerFault {
  let root: XmlElement;
  try {
    root = parseXml(body, { size: 1_048_576, depth: 48 });
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    return invalidRequest(`Cannot parse the request: ${error.message}`);
  }
  if (root.local !== "Envelope" || root.namespace !== soapNamespace) {
    return invalidRequest("The request is no SOAP envelope");
  }
  const [soapBody] = elementsIn(root).filter(
    (child) => child.local === "Body" && child.namespace === soapNamespace,
  );
  const calls = soapBody === undefined ? [] : elementsIn(soapBody);
  const [call] = calls;
  if (call === undefined || calls.length > 1) {
    return invalidRequest("The SOAP body must hold exactly one call");
  }
  if (call.namespace !== vimNamespace) {
    return invalidRequest(`Unexpected namespace ${call.namespace} of ${call.local}`);
  }
  return call;
}

/** `inner` is the content of the response element, as XML. */
export function resultReply(method: string, inner: string): SimulatorReply {
  const name = `${method}Response`;
  return soapReply(200, `<${name} xmlns="${vimNamespace}">${inner}</${name}>`);
}

/** 500 with the fault in its detail; the type is that of `xsi:type` (wire facts D.3). */
export function faultReply(fault: ManagerFault, version: string): SimulatorReply {
  const name = `${fault.fault}Fault`;
  const detail = encodeMember(name, { type: "", isReference: false }, faultObject(fault), {
    version,
  }).replace(`<${name}`, `<${name} xmlns="${vimNamespace}"`);
  const code = fault.fault === "InvalidRequest" ? "ClientFaultCode" : "ServerFaultCode";
  return soapReply(
    500,
    `<soapenv:Fault><faultcode>${code}</faultcode>` +
      `<faultstring>${escapeText(fault.message)}</faultstring>` +
      `<detail>${detail}</detail></soapenv:Fault>`,
  );
}

function soapReply(status: number, inner: string): SimulatorReply {
  const namespaces = [
    'xmlns:soapenc="http://schemas.xmlsoap.org/soap/encoding/"',
    `xmlns:soapenv="${soapNamespace}"`,
    'xmlns:xsd="http://www.w3.org/2001/XMLSchema"',
    `xmlns:xsi="${schemaInstance}"`,
  ].join(" ");
  return {
    status,
    headers: { "content-type": "text/xml; charset=utf-8", "cache-control": "no-cache" },
    body:
      `<?xml version="1.0" encoding="UTF-8"?>\n<soapenv:Envelope ${namespaces}>\n` +
      `<soapenv:Body>\n${inner}\n</soapenv:Body>\n</soapenv:Envelope>`,
  };
}

function elementsIn(element: XmlElement): readonly XmlElement[] {
  return element.children.filter((child) => typeof child !== "string");
}
