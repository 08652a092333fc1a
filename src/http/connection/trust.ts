/**
 * Whom an https connection trusts: the roots, the roots and more, one certificate, or anybody. Data
 * only; the judging is done in `certificate.ts`.
 */

import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import * as tls from "node:tls";
import { RemoteError } from "../../model/operation/remote-error.ts";
import type { HttpTls } from "../call.ts";
import type { Environment } from "./proxy.ts";

export type Fingerprint = {
  readonly algorithm: "SHA-1" | "SHA-256";
  /** As Node.js writes it: upper case, colons. */
  readonly text: string;
};

export type Trust =
  /** By these authorities, as PEM; without them by whatever this Node.js trusts. */
  | { readonly by: "authorities"; readonly authorities?: readonly string[] }
  | { readonly by: "fingerprint"; readonly fingerprint: Fingerprint }
  | { readonly by: "nothing" };

const pemBlock = /-----BEGIN ([A-Z0-9 ]*)CERTIFICATE-----[\s\S]+?-----END \1CERTIFICATE-----/g;

/** Throws `RemoteError` of kind invalid for settings that contradict each other or cannot hold. */
export function readTrust(settings: HttpTls, origin: string, environment: Environment): Trust {
  const { ca, thumbprint, allowUnverified = false } = settings;
  if (new URL(origin).protocol !== "https:" && (ca !== undefined || thumbprint !== undefined)) {
    throw invalid(`${origin} has no certificate to be judged by ca_file or thumbprint; use https`);
  }
  if (thumbprint !== undefined) {
    if (allowUnverified) {
      throw invalid("thumbprint and allow_unverified_ssl contradict each other; take one away");
    }
    return { by: "fingerprint", fingerprint: readFingerprint(thumbprint) };
  }
  // Read before it is dismissed: a file that holds no certificate is never what was meant.
  const added = ca === undefined ? [] : readCertificates(ca);
  if (allowUnverified) return { by: "nothing" };
  if (added.length === 0) return { by: "authorities" };
  // A list of authorities replaces that of Node.js, so its own come first.
  return { by: "authorities", authorities: [...ownAuthorities(environment), ...added] };
}

function readFingerprint(text: string): Fingerprint {
  const hex = text.trim().replaceAll(":", "").toUpperCase();
  const algorithm = hex.length === 40 ? "SHA-1" : "SHA-256";
  if (!/^[0-9A-F]*$/.test(hex) || (hex.length !== 40 && hex.length !== 64)) {
    throw invalid(
      "thumbprint is no fingerprint: 40 hex digits (SHA-1) or 64 (SHA-256), colons are optional",
    );
  }
  return { algorithm, text: (hex.match(/../g) ?? []).join(":") };
}

/** Checked here: Node.js passes over what it cannot read, and then trusts one authority less. */
function readCertificates(pem: string): readonly string[] {
  const blocks = pem.match(pemBlock) ?? [];
  if (blocks.length === 0) throw invalid("ca_file holds no certificate in PEM form");
  return blocks.map((block, index) => {
    try {
      return new X509Certificate(block).toString();
    } catch (cause) {
      throw invalid(`certificate ${index + 1} of ca_file cannot be read`, cause);
    }
  });
}

/** What Node.js trusts by itself. It can be asked since 22.15; the extra ones may come twice. */
function ownAuthorities(environment: Environment): readonly string[] {
  const known =
    "getCACertificates" in tls && typeof tls.getCACertificates === "function"
      ? (tls.getCACertificates("default") as readonly string[])
      : tls.rootCertificates;
  const extra = environment.NODE_EXTRA_CA_CERTS;
  if (extra === undefined || extra === "") return known;
  try {
    return [...known, readFileSync(extra, "utf8")];
  } catch {
    // Node.js warned of this file when it started, and goes on without it.
    return known;
  }
}

function invalid(message: string, cause?: unknown): RemoteError {
  return new RemoteError({ kind: "invalid", effect: "none", message, cause });
}
