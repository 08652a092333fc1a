/**
 * Connections whose certificate is judged as soon as TLS stands, before anybody may write to them.
 *
 * TLS sessions are not resumed: Node.js does not look at the host name of a resumed one again, and
 * shows no whole certificate, so a connection would be judged by what an earlier one was.
 */

import type { X509Certificate } from "node:crypto";
import { createSecureContext, type SecureContext, TLSSocket } from "node:tls";
import type { buildConnector as connectors } from "undici";
import buildConnector from "undici/lib/core/connect.js";
import type { Fingerprint, Trust } from "./trust.ts";

export type Connector = connectors.connector;

/** The server showed a certificate that is not trusted; nothing was sent to it. */
export class CertificateError extends Error {
  /** After "certificate of HOST ". */
  readonly problem: string;
  /** What the endpoint's settings can do about it, with the fingerprint that was shown. */
  readonly waysOut: string;

  constructor(problem: string, waysOut: string) {
    super(`certificate ${problem}`);
    this.name = "CertificateError";
    this.problem = problem;
    this.waysOut = waysOut;
  }
}

/**
 * Connects as undici does, and fails with `CertificateError` unless the certificate is trusted.
 * `timeoutMs` covers TCP and TLS. Connections without TLS pass unjudged.
 */
export function judgedConnector(trust: Trust, timeoutMs: number): Connector {
  const connect = buildConnector({
    timeout: timeoutMs,
    maxCachedSessions: 0,
    // Node.js still judges, and `judge` asks how; else the certificate could not be shown.
    rejectUnauthorized: false,
    ...contextOf(trust),
  });
  return (options, callback) => {
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      const refusal = options.protocol === "https:" ? judge(socket, trust) : undefined;
      if (refusal === undefined) return callback(null, socket);
      socket.destroy();
      callback(refusal, null);
    });
  };
}

const contexts = new WeakMap<readonly string[], SecureContext>();

/** Made once for what has the same list: reading all authorities takes longer than a handshake. */
function contextOf(trust: Trust): { readonly secureContext?: SecureContext } {
  if (trust.by !== "authorities" || trust.authorities === undefined) return {};
  const { authorities } = trust;
  const known = contexts.get(authorities);
  if (known !== undefined) return { secureContext: known };
  const secureContext = createSecureContext({
    ca: [...authorities],
    // Among them may be the server's own certificate, or an authority below a root.
    allowPartialTrustChain: true,
  });
  contexts.set(authorities, secureContext);
  return { secureContext };
}

function judge(socket: object, trust: Trust): CertificateError | undefined {
  if (!(socket instanceof TLSSocket)) throw new Error("a connection for https has no TLS");
  if (trust.by === "nothing") return undefined;
  const shown = socket.getPeerX509Certificate();
  if (shown === undefined) return new CertificateError("is absent", "");
  if (trust.by === "fingerprint") return compare(shown, trust.fingerprint);
  return socket.authorized ? undefined : refused(shown, authorizationCode(socket));
}

function compare(shown: X509Certificate, wanted: Fingerprint): CertificateError | undefined {
  const actual = wanted.algorithm === "SHA-1" ? shown.fingerprint : shown.fingerprint256;
  if (actual === wanted.text) return undefined;
  return new CertificateError(
    `has another fingerprint (${wanted.algorithm} ${actual}) than thumbprint names`,
    "if the server has a new certificate, make sure that it is its own and set thumbprint",
  );
}

/** The code is where the types have an error. */
function authorizationCode(socket: TLSSocket): string {
  const given: unknown = socket.authorizationError;
  if (given instanceof Error) {
    return "code" in given && typeof given.code === "string" ? given.code : given.message;
  }
  return typeof given === "string" ? given : "no reason given";
}

function refused(shown: X509Certificate, code: string): CertificateError {
  const pin = `thumbprint: "${shown.fingerprint256}" (its SHA-256)`;
  switch (code) {
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
      return new CertificateError("is self-signed", trustIt(pin));
    case "SELF_SIGNED_CERT_IN_CHAIN":
    case "UNABLE_TO_GET_ISSUER_CERT":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE": {
      const issuer = oneLine(shown.issuer);
      return new CertificateError(`is from an unknown authority (${issuer})`, trustIt(pin));
    }
    case "CERT_HAS_EXPIRED":
      return new CertificateError(
        `has expired, or an authority above it (its own end is ${shown.validTo})`,
        `renew it on the server, or accept it as it is with ${pin}`,
      );
    case "CERT_NOT_YET_VALID":
      return new CertificateError(
        `is not valid yet, or an authority above it (its own beginning is ${shown.validFrom})`,
        `is the clock of this machine right? If so, accept it as it is with ${pin}`,
      );
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return new CertificateError(
        `is for another host (${namesOf(shown)})`,
        `put one of its names into url, or accept it as it is with ${pin}`,
      );
    default:
      return new CertificateError(`is refused (${code})`, trustIt(pin));
  }
}

function trustIt(pin: string): string {
  return `if it is known to be right, set ca_file to its authority's certificate, or ${pin}`;
}

/** `DNS:a.example.com, IP Address:10.0.0.1`, or the subject of a certificate without names. */
function namesOf(certificate: X509Certificate): string {
  return (
    certificate.subjectAltName?.replace(/\b(DNS|IP Address):/g, "") ?? oneLine(certificate.subject)
  );
}

function oneLine(name: string): string {
  return name.trim().split("\n").join(", ");
}
