/** The forms that wires and files give to a secret. */

/** Names of the forms of `secret` that stand in the text. */
export function secretsIn(text: string, secret: string): readonly string[] {
  return [...formsOf(secret)].filter(([, form]) => text.includes(form)).map(([name]) => name);
}

function formsOf(secret: string): ReadonlyMap<string, string> {
  const json = JSON.stringify(secret).slice(1, -1);
  return new Map([
    ["plain", secret],
    ["base64", Buffer.from(secret).toString("base64").replace(/=+$/, "")],
    // What stands behind `user@org:`, whatever its length.
    ["base64 behind one byte", inner(secret, 1)],
    ["base64 behind two bytes", inner(secret, 2)],
    ["URL", encodeURIComponent(secret)],
    ["form", new URLSearchParams({ s: secret }).toString().slice(2)],
    ["JSON", json],
    ["JSON twice", JSON.stringify(json).slice(1, -1)],
    ["XML", secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")],
    ["XML text", secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;")],
  ]);
}

/** The characters that depend on the secret alone. */
function inner(secret: string, before: number): string {
  const encoded = Buffer.from(`${"x".repeat(before)}${secret}`).toString("base64");
  return encoded.slice(4, -4);
}
