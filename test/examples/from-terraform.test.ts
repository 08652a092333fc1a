/** docs/from-terraform.md: whatever it says is here, is; and no command of Terraform is left out. */

import { expect, test } from "vitest";
import { readProjectFile } from "../architecture/project-files.ts";
import { runInside } from "../helpers/program.ts";
import { root } from "./copy.ts";

const page = readProjectFile("docs/from-terraform.md");

/** As `terraform -help` of 1.9 lists them, without what only prints help. */
const theirs =
  "init validate plan apply destroy console fmt force-unlock get graph import login logout " +
  "metadata modules output providers refresh show state taint test untaint version workspace";

/** Words in backticks, table by table; `|` separates columns. */
function rowsBelow(heading: string): readonly (readonly string[])[] {
  const part = page.split(`## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  const lines = part.split("\n").filter((line) => /^\| +(?!Terraform|-)/.test(line));
  return lines.map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));
}

const codes = (text: string): readonly string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);

test("each command of Terraform is there", () => {
  const left = rowsBelow("Commands").map(([, cell = ""]) => cell);
  const told = left.concat(rowsBelow("State").map(([, cell = ""]) => cell)).join(" ");
  for (const command of theirs.split(" ")) expect(told).toMatch(new RegExp(`\\b${command}\\b`));
});

test("each command of vmform is one, with its options", async () => {
  const commands = codes(page).filter((code) => code.startsWith("vmform "));
  expect(commands.length).toBeGreaterThan(40);
  const helps = new Map<string, string>();
  for (const command of commands) {
    const words = command.split(" ").slice(1);
    const [first = "", second = ""] = words;
    const named = first === "state" ? [first, second] : [first];
    const key = named.join(" ");
    if (!helps.has(key)) {
      const { code, stdout } = await runInside(root, [...named, "--help"]);
      expect({ command, code }).toEqual({ command, code: 0 });
      expect(stdout).toContain(`Usage: vmform ${key} `);
      helps.set(key, stdout);
    }
    for (const option of words.filter((word) => word.startsWith("--"))) {
      expect({ command, help: helps.get(key) }).toMatchObject({
        help: expect.stringContaining(option) as unknown,
      });
    }
  }
});

test("each word of the language is one", () => {
  const schema = readProjectFile("schemas/config.schema.json");
  const words = rowsBelow("Language").flatMap(([, left = "", right = ""]) =>
    codes(/^\[?the same/.test(right) ? left : right).filter((code) => /^[a-z_]{5,}$/.test(code)),
  );
  expect(words.length).toBeGreaterThan(20);
  expect(words.filter((word) => !schema.includes(`"${word}"`))).toEqual([]);
});
