/** Words told to be pasted into a shell are read by one as what they are. */

import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { quotedWord, shellWord } from "../../../src/lib/shell-word.ts";

it.each([
  "web",
  "",
  'daemon_vm.web["a"]',
  "it's",
  "'; echo gone; '",
  "$(echo gone) `id` \\ !x",
  "-rf",
])("%j", (word) => {
  const read = (text: string): string =>
    execFileSync("sh", ["-c", `printf '%s' ${text}`], { encoding: "utf8" });
  expect(read(quotedWord(word))).toBe(word);
  if (word !== "-rf") expect(read(shellWord(word))).toBe(word);
});
