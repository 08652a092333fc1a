import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { bashCompletion, isHarmless } from "../../../../src/cli/terminal/bash-completion.ts";

/** What bash is given for the last of `words`, when vmform offers `offered`. */
function complete(words: readonly string[], offered: readonly string[]): readonly string[] {
  const script = `
    _get_comp_words_by_ref() { words=("\${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=$LAST; }
    vmform() { printf '%s\\n' "\${OFFERED[@]}" ":4"; }
    source /dev/stdin <<<"$SCRIPT"
    COMP_WORDS=("\${@}"); COMP_CWORD=$(($# - 1)); LAST=\${!#}
    mapfile -t OFFERED <<<"$LINES_OFFERED"
    __vmform_complete
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const text = execFileSync("bash", ["-c", script, "bash", ...words], {
    env: { ...process.env, SCRIPT: bashCompletion, LINES_OFFERED: offered.join("\n") },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  return text.trimEnd().split("\n");
}

test("what is offered to bash is never run, and keeps its quotes", () => {
  const offered = ['daemon_vm.a["x"]', 'daemon_vm.b["$(echo run)"]', "daemon_vm.c\tdescribed"];
  expect(complete(["vmform", "state", "show", ""], offered)).toEqual([
    String.raw`daemon_vm.a\[\"x\"\]`,
    String.raw`daemon_vm.b\[\"\$\(echo\ run\)\"\]`,
    "daemon_vm.c",
  ]);
});

test.each([
  ["daemon_vm.a[", [String.raw`daemon_vm.a\[\"x\"\]`]],
  [String.raw`daemon_vm.a\[\"`, [String.raw`daemon_vm.a\[\"x\"\]`]],
  ["'daemon_vm.a", ['daemon_vm.a["x"]']],
  ["--target=daemon_vm.a", [String.raw`daemon_vm.a\[\"x\"\]`]],
  ["daemon_vm.z", [""]],
])("%s is completed", (typed, expected) => {
  const offered = ['daemon_vm.a["x"]', "daemon_vm.c"];
  expect(complete(["vmform", "plan", typed], offered)).toEqual(expected);
});

test.each<readonly [string, boolean]>([
  ["daemon_vm.web", true],
  ['module.lab["a"].daemon_vm.web[12]', true],
  ['daemon_vm.web["kältemaschine/ü@1.2"]', true],
  ...["$(run)", "`run`", "a b", "a;b", "a&b", "a|b", "a>b", "*", "?", "~", "!1", "a'b", "{a}"].map(
    (key) => [`daemon_vm.web["${key}"]`, false] as const,
  ),
  ["daemon_vm.web[\u001b]", false],
  ["", false],
])("%j is offered to shells: %s", (address, expected) => {
  expect(isHarmless(address)).toBe(expected);
});
