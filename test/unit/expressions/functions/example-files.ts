/** The files and the time that examples of functions know. */

import type { FileReader } from "../../../../src/expressions/functions/function-context.ts";

export const exampleTime = "2026-03-01T12:00:00Z";

const contents: { readonly [path: string]: string | Uint8Array } = {
  "motd.txt": "hello\n",
  "hosts.tpl": '${name}: ${ports.map(p, string(p)).join(" ")}\n',
  "broken.tpl": "one\n  ${name +}\n",
  "asking.tpl": '${file("motd.txt")}',
  "wrong.tpl": "a\n${nobody}",
  "deep.tpl": "${templatestring(text, {'text': text})}",
  "utf16.txt": Uint8Array.from([0xff, 0xfe, 0x61, 0x00]),
  "latin.txt": Uint8Array.from([0x61, 0x0a, 0x62, 0xe9, 0x62]),
};

export const exampleFiles: FileReader = (path) => {
  if (path === "folder") return { kind: "unreadable", why: "it is a folder" };
  const content = Object.hasOwn(contents, path) ? contents[path] : undefined;
  if (content === undefined) return { kind: "absent" };
  return {
    kind: "read",
    bytes: typeof content === "string" ? new TextEncoder().encode(content) : content,
  };
};
