/** Digests of texts, and names that are made of them. */

import { type BinaryToTextEncoding, createHash } from "node:crypto";
import { bytesOfFile } from "../file-content.ts";
import { type FunctionEntry, failure } from "../function-entry.ts";

const digests = [
  ["md5", "900150983cd24fb0d6963f7d28e17f72"],
  ["sha1", "a9993e364706816aba3e25717850c26c9cd0d89d"],
  ["sha256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  [
    "sha512",
    "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a" +
      "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
  ],
] as const;

export const hashFunctions: readonly FunctionEntry[] = [
  ...digests.map(
    ([name, example]): FunctionEntry => ({
      name,
      group: "Hashes",
      form: `${name}(text)`,
      sentence: `The ${name} digest of a text in UTF-8, in hexadecimal digits.`,
      examples: [{ expression: `${name}("abc")`, value: JSON.stringify(example) }],
      overloads: { [`${name}(string): string`]: (text: string) => digest(name, text, "hex") },
    }),
  ),
  ...(["sha256", "sha512"] as const).map(
    (name): FunctionEntry => ({
      name: `base64${name}`,
      group: "Hashes",
      form: `base64${name}(text)`,
      sentence: `The ${name} digest of a text in UTF-8, in base64.`,
      examples: [
        {
          expression: `base64${name}("abc")`,
          value: JSON.stringify(digest(name, "abc", "base64")),
        },
      ],
      overloads: {
        [`base64${name}(string): string`]: (text: string) => digest(name, text, "base64"),
      },
    }),
  ),
  ...(["md5", "sha256", "sha512"] as const).map(
    (name): FunctionEntry => ({
      name: `file${name}`,
      group: "Hashes",
      form: `file${name}(path)`,
      sentence: `The ${name} digest of the bytes of a file, in hexadecimal digits.`,
      examples: [
        {
          expression: `file${name}("motd.txt")`,
          value: JSON.stringify(digest(name, "hello\n", "hex")),
        },
      ],
      overloads: {
        [`file${name}(string): string`]: (path: string) => digest(name, bytesOfFile(path), "hex"),
      },
    }),
  ),
  {
    name: "uuidv5",
    group: "Hashes",
    form: "uuidv5(namespace, name)",
    sentence:
      "A UUID that is the same for the same name: `namespace` is `dns`, `url`, `oid`, `x500` or " +
      "a UUID.",
    examples: [
      {
        expression: 'uuidv5("dns", "www.example.com")',
        value: '"2ed6657d-e927-568b-95e1-2665a8aea6a2"',
      },
    ],
    overloads: { "uuidv5(string, string): string": uuid },
  },
];

function digest(
  name: string,
  content: string | Uint8Array,
  encoding: BinaryToTextEncoding,
): string {
  return createHash(name).update(content).digest(encoding);
}

const namespaces: { readonly [name: string]: string } = {
  dns: "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
  url: "6ba7b811-9dad-11d1-80b4-00c04fd430c8",
  oid: "6ba7b812-9dad-11d1-80b4-00c04fd430c8",
  x500: "6ba7b814-9dad-11d1-80b4-00c04fd430c8",
};

/** RFC 9562, version 5. */
function uuid(namespace: string, name: string): string {
  const space = Object.hasOwn(namespaces, namespace) ? (namespaces[namespace] ?? "") : namespace;
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(space)) {
    throw failure("the namespace of uuidv5() is dns, url, oid, x500 or a UUID");
  }
  const bytes = createHash("sha1")
    .update(Buffer.from(space.replaceAll("-", ""), "hex"))
    .update(name)
    .digest()
    .subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
