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

test("the longer of two secrets is masked as a whole, and what they share for both", () => {
  const mask = createSecretMask(["abcdefgh", "abcdefghij", "ghijklmnop"]);
  expect(mask.mask("xabcdefghijx abcdefgh")).toBe("x***x ***");
  expect(mask.mask("abcdefghijklmnop")).toBe("***");
});

describe("a short secret is masked where it stands alone", () => {
  test.each([
    ["certificate of example has expired", "certificate of example has expired"],
    ["password x is wrong", "password *** is wrong"],
    ['{"p":"x","q":"\\nx"}', '{"p":"***","q":"\\n***"}'],
    ["admin:x@example", "admin:***@example"],
    ["p=x&q=%20x", "p=***&q=%20***"],
    ["<p>&#120;</p>", "<p>***</p>"],
    ["x", "***"],
  ])("%s", (text, left) => {
    expect(createSecretMask(["x"]).mask(text)).toBe(left);
  });
});

test("a secret registered later counts", () => {
  const mask = createSecretMask();
  expect(mask.mask("token-1")).toBe("token-1");
  mask.add("token-1");
  expect(mask.mask("token-1")).toBe(maskedText);
});

const text = fc.string({ unit: "grapheme", maxLength: 12 });
const hiddenText = fc
  .string({ unit: "grapheme", minLength: 8, maxLength: 20 })
  // What is blank is no secret, and what stars are is in the mask itself.
  .filter((hidden) => hidden.trim() === hidden && Array.from(hidden).length >= 8)
  .filter((hidden) => !/[*\p{Cc}\p{Cf}\p{Zs}]/u.test(hidden));

test("no secret survives in any text around it, in plain or base64", () => {
  fc.assert(
    fc.property(text, hiddenText, text, (before, hidden, after) => {
      const mask = createSecretMask([hidden]);
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

/** Each way to write one character. */
const writings: readonly ((character: string) => string)[] = [
  (character) => character,
  (character) => `&#${character.codePointAt(0)};`,
  (character) => `&#000${character.codePointAt(0)};`,
  (character) => `&#x${character.codePointAt(0)?.toString(16)};`,
  (character) => `&#x00${character.codePointAt(0)?.toString(16).toUpperCase()};`,
  (character) => `&amp;#${character.codePointAt(0)};`,
  (character) =>
    ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" })[character] ??
    character,
  (character) => encodeURIComponent(character),
  (character) =>
    encodeURIComponent(encodeURIComponent(character)).replace(/%25../g, (code) =>
      code.toLowerCase(),
    ),
  (character) => JSON.stringify(character).slice(1, -1),
  (character) => JSON.stringify(JSON.stringify(character).slice(1, -1)).slice(1, -1),
  (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
    ).join(""),
  (character) => Buffer.from(character).toString("hex").replace(/../g, "%$&"),
];

test("nor does any part of it, in any mixture of escapes, wherever the text is cut then", () => {
  const cut = fc.nat({ max: 80 });
  const ways = fc.array(fc.nat({ max: writings.length - 1 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(hiddenText, ways, cut, (hidden, each, length) => {
      const written = Array.from(hidden, (character, at) => {
        const way = writings[each[at % each.length] ?? 0];
        return way?.(character) ?? character;
      }).join("");
      const masked = createSecretMask([hidden]).mask(`<${written}>`);
      expect(masked).toBe("<***>");
      expect("<***>").toContain(masked.slice(0, length));
    }),
  );
});

test.each([" ", "  ", "\n", " \t ", "&#32;&#x20;", "%20", "+", "\\n", "&nbsp;"])(
  "blanks in it are found as %j",
  (blanks) => {
    const mask = createSecretMask(["two   words of a secret"]);
    expect(mask.mask(`<two${blanks}words${blanks}of a secret>`)).toBe("<***>");
  },
);

test("a text made to be slow costs no more than its length", () => {
  const mask = createSecretMask(["&&&&\\\\\\%%%%    x secret", "aaaaaaaaaaaaaaaaaaaaaaab"]);
  for (const part of ["&amp;", "\\", "%25", " ", "a", "&#0000"]) {
    const hostile = part.repeat(50_000);
    expect(mask.mask(hostile)).toBe(hostile);
  }
});

test("an escape that begins with the last character of a secret goes with it", () => {
  const mask = createSecretMask(["abcdefgh&"]);
  expect(mask.mask("<abcdefgh&#38;>")).toBe("<***>");
  expect(mask.mask("<abcdefgh&amp;>")).toBe("<***>");
});

/** What is looked for first must be in whatever the patterns find. */
test.each([
  ["letters escaped", "hunter2222", "&#104;unter2222"],
  ["a digit of a percent escape", "hunter2222", "%68unter2222"],
  ["escaped twice", "hunter2222", "%252568unter2222"],
  ["a reference in a query of a query", "hunter2222", "%2526%2523104%253Bunter2222"],
  ["a unit", "hunter2222", "\\u0068unter2222"],
  ["a byte", "hunter2222", "\\x68unter2222"],
  ["no letter at all", "+-+-+-+-", "%2B-+-+-+-"],
])("%s", (_, hidden, written) => {
  expect(createSecretMask([hidden]).mask(`<${written}>`)).toBe("<***>");
});
