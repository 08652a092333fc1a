/**
 * Masking of secrets in text: every registered secret is replaced wherever it stands, in plain form
 * and in the forms that wire formats give it (base64 at any alignment, URL, XML, JSON).
 */

export const maskedText = "***";

/** Base64 of a few bytes is a few letters, which would be replaced all over innocent text. */
const base64LengthMin = 4;

export interface SecretMask {
  /** Registers a secret for every later `mask`. The empty text is ignored. */
  add(secret: string): void;
  mask(text: string): string;
}

export function createSecretMask(secrets: readonly string[] = []): SecretMask {
  const forms = new Set<string>();
  let pattern: RegExp | undefined;

  function add(secret: string): void {
    if (secret === "") return;
    for (const form of formsOf(secret)) forms.add(form);
    // Longest first: a short form may be the beginning of a longer one.
    const sorted = [...forms].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
    pattern = new RegExp(sorted.map(escapePattern).join("|"), "g");
  }

  for (const secret of secrets) add(secret);
  return {
    add,
    mask: (text) => (pattern === undefined ? text : text.replace(pattern, maskedText)),
  };
}

function formsOf(secret: string): Set<string> {
  const forms = new Set([secret, ...urlForms(secret), ...xmlForms(secret), ...jsonForms(secret)]);
  for (const form of base64Forms(Buffer.from(secret, "utf8"))) forms.add(form);
  // HTTP basic credentials were Latin-1 before they were UTF-8, and some servers still say so.
  if (/^[\u0000-\u00ff]*$/.test(secret)) {
    for (const form of base64Forms(Buffer.from(secret, "latin1"))) forms.add(form);
  }
  return forms;
}

function urlForms(secret: string): string[] {
  // A lone surrogate has no URL form; going through UTF-8 replaces it.
  const encoded = encodeURIComponent(Buffer.from(secret, "utf8").toString("utf8"));
  const strict = encoded.replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  const upper = (text: string) => text.replace(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase());
  const lower = (text: string) => text.replace(/%[0-9a-f]{2}/gi, (code) => code.toLowerCase());
  const forms = [encoded, strict].flatMap((form) => [upper(form), lower(form)]);
  return [...forms, ...forms.map((form) => form.replaceAll("%20", "+"))];
}

function xmlForms(secret: string): string[] {
  const text = secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const strict = text.replaceAll(">", "&gt;");
  const quoted = strict.replaceAll('"', "&quot;");
  const forms = [
    text,
    strict,
    quoted,
    quoted.replaceAll("'", "&apos;"),
    quoted.replaceAll("'", "&#39;"),
    strict.replaceAll('"', "&#34;").replaceAll("'", "&#39;"),
  ];
  const decimal = (form: string) => byCodePoint(form, (code) => `&#${code};`);
  const hex = (form: string) => byCodePoint(form, (code) => `&#x${code.toString(16)};`);
  const upperHex = (form: string) =>
    byCodePoint(form, (code) => `&#x${code.toString(16).toUpperCase()};`);
  return forms.flatMap((form) => [form, decimal(form), hex(form), upperHex(form)]);
}

/** Replaces every code point beyond ASCII. */
function byCodePoint(text: string, replace: (code: number) => string): string {
  return Array.from(text, (char) => {
    const code = char.codePointAt(0) ?? 0;
    return code > 126 ? replace(code) : char;
  }).join("");
}

function jsonForms(secret: string): string[] {
  const text = JSON.stringify(secret).slice(1, -1);
  const ascii = (upper: boolean) =>
    text.replace(/[^\u0000-\u007e]/g, (unit) => {
      const hex = unit.charCodeAt(0).toString(16).padStart(4, "0");
      return `\\u${upper ? hex.toUpperCase() : hex}`;
    });
  // Go writes &, < and > as escapes.
  const html = (form: string) =>
    form.replaceAll("&", "\\u0026").replaceAll("<", "\\u003c").replaceAll(">", "\\u003e");
  const forms = [text, ascii(false), ascii(true)];
  return [...forms, ...forms.map(html), ...forms.map((form) => form.replaceAll("/", "\\/"))];
}

/**
 * Base64 of the bytes alone, and the letters that stand for them within a longer text (such as
 * `user:password`), for each of the three places where the bytes may begin.
 */
function base64Forms(bytes: Buffer): string[] {
  const forms = [bytes.toString("base64"), bytes.toString("base64url")];
  for (const before of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    // Letters that hold bits of what stands before or after are left out.
    const first = Math.ceil((before * 8) / 6);
    const whole = Math.floor(((before + bytes.length) * 8) / 6);
    const inner = encoded.slice(first, whole);
    forms.push(inner, inner.replaceAll("+", "-").replaceAll("/", "_"));
  }
  return forms.filter((form) => form.length >= base64LengthMin);
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
