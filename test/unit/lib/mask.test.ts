import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSecretMask, maskedText } from "../../../src/lib/mask.ts";

const secret = 's3cr&t/é <"it\'s">';
const password = `admin@system:${secret}`;

const json = JSON.stringify({ secret });
const basic = Buffer.from(password);
const latin = Buffer.from(password, "latin1");
// `admin@system:` is 13 bytes: 17 whole letters of base64, and one that it shares with the secret.
const userLetters = basic.toString("base64").slice(0, 18);

/** Text, and what must be left of it. */
const forms: { readonly [name: string]: readonly [string, string | RegExp] } = {
  plain: [secret, "***"],
  "base64 alone": [Buffer.from(secret).toString("base64"), "***"],
  "base64 of user and password": [basic.toString("base64"), /^\S{18}\*{3}\S{0,3}$/],
  "base64 of user and password, Latin-1": [latin.toString("base64"), /^\S{18}\*{3}\S{0,3}$/],
  base64url: [Buffer.from(secret).toString("base64url"), "***"],
  url: [encodeURIComponent(secret), "***"],
  "url, lower case": [encodeURIComponent(secret).toLowerCase(), "***"],
  form: [new URLSearchParams({ p: secret }).toString(), "p=***"],
  xml: ["<p>s3cr&amp;t/é &lt;&quot;it&apos;s&quot;&gt;</p>", "<p>***</p>"],
  "xml, numeric": ["<p>s3cr&amp;t/&#xE9; &lt;&quot;it&#39;s&quot;&gt;</p>", "<p>***</p>"],
  json: [json, '{"secret":"***"}'],
  "json, ascii": [json.replace("é", "\\u00e9"), '{"secret":"***"}'],
  "json as Go writes it": [
    json.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"),
    '{"secret":"***"}',
  ],
};

describe("forms of a secret", () => {
  const mask = createSecretMask([secret]);
  test.each(Object.entries(forms))("%s", (_name, [text, left]) => {
    const masked = mask.mask(text);
    if (typeof left === "string") expect(masked).toBe(left);
    else expect(masked).toMatch(left);
  });

  test("what stands before the secret in base64 is kept", () => {
    expect(mask.mask(basic.toString("base64"))).toContain(userLetters);
  });
});

test("text without a secret is left alone", () => {
  const mask = createSecretMask(["hunter2"]);
  expect(mask.mask("nothing to hide: 100% & <b>")).toBe("nothing to hide: 100% & <b>");
  expect(createSecretMask([""]).mask("any")).toBe("any");
});

test("the longer of two secrets is masked as a whole", () => {
  const mask = createSecretMask(["abcd", "abcdef"]);
  expect(mask.mask("xabcdefx abcd")).toBe("x***x ***");
});

test("a secret registered later counts", () => {
  const mask = createSecretMask();
  expect(mask.mask("token-1")).toBe("token-1");
  mask.add("token-1");
  expect(mask.mask("token-1")).toBe(maskedText);
});

test("no secret survives in any text around it, in plain or base64", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 12 });
  const word = fc.string({ unit: "grapheme", minLength: 6, maxLength: 20 });
  fc.assert(
    fc.property(text, word, text, (before, hidden, after) => {
      const mask = createSecretMask([hidden]);
      // A secret of stars would be found in the mask itself.
      fc.pre(!maskedText.includes(hidden) && !hidden.includes("*"));
      expect(mask.mask(before + hidden + after)).not.toContain(hidden);
      const encoded = Buffer.from(before + hidden + after).toString("base64");
      const bytes = Buffer.from(hidden);
      const start = Buffer.from(before).length;
      const from = Math.ceil((start * 8) / 6);
      const to = Math.floor(((start + bytes.length) * 8) / 6);
      expect(mask.mask(encoded)).not.toContain(encoded.slice(from, to));
    }),
  );
});
