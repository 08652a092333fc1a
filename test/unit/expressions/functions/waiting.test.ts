/** Functions beside values that are unknown or sensitive, and what waits for an apply. */

import { describe, expect, test } from "vitest";
import { deferTemplate, evaluateDeferred } from "../../../../src/expressions/evaluate/deferred.ts";
import { evaluateTemplate } from "../../../../src/expressions/evaluate/evaluate.ts";
import type { Scope } from "../../../../src/expressions/evaluate/scope.ts";
import type { FileReader } from "../../../../src/expressions/functions/function-context.ts";
import { unknown } from "../../../../src/model/value/value.ts";
import { scope as fixture, template } from "../scope-fixture.ts";
import { exampleFiles, exampleTime } from "./example-files.ts";

const scope: Scope = { ...fixture, files: exampleFiles, time: exampleTime };

const waiting = (text: string) => evaluateTemplate(template(text), scope, "any");

describe("what is not known yet", () => {
  test.each([
    "${try(daemon_vm.a.ip_address, 'none')}",
    "${can(daemon_vm.a.ip_address)}",
    "${coalesce(daemon_vm.a.ip_address, 'none')}",
    "${jsonencode(daemon_vm.a.labels)}",
    "${try([daemon_vm.a.ip_address].exists(x, x == 'a') || int('x') == 1, true)}",
    "${templatestring('a' + '$' + '{b}', {'b': daemon_vm.a.ip_address})}",
  ])("%s is unknown", (text) => {
    expect(waiting(text)).toMatchObject({ value: unknown, problems: [] });
  });

  test("what a template does not use need not be known", () => {
    const text = "${templatestring('$' + '{a}', {'a': 'x', 'b': daemon_vm.a.id}) + '!'}";
    expect(waiting(text).value).toBe("x!");
  });
});

describe("sensitive values", () => {
  test.each([
    ["${sensitive('a')}", true],
    ["${nonsensitive(vars.token)}", false],
    ["${nonsensitive(size(vars.token)) + 1}", false],
    ["${nonsensitive(vars.token) + vars.token}", true],
    ["${try(int(vars.token), 0)}", true],
    ["${base64encode(vars.token)}", true],
    ["${jsonencode(vars.nested)}", true],
    ["${issensitive(vars.token) ? 'a' : 'b'}", false],
    // What is unknown counts by its names.
    ["${nonsensitive(vars.token) + daemon_vm.a.ip_address}", false],
    ["${daemon_vm.a.ip_address + sensitive('a')}", true],
    ["${daemon_vm.a.ip_address + vars.token}", true],
  ])("%s", (text, isSensitive) => {
    expect(waiting(text)).toMatchObject({ sensitive: isSensitive, problems: [] });
  });

  test("no message quotes one", () => {
    const [problem] = waiting("${nonsensitive(parseint(vars.token, 10))}").problems;
    expect(problem?.message).toBe(
      "The expression uses a sensitive value and cannot be evaluated with it.",
    );
  });
});

describe("what waits keeps what it saw", () => {
  const text =
    "${file('motd.txt').trim()} ${timestamp()} ${fileexists('none')} ${daemon_vm.web['y'].ip_address}";
  const known = () => ({ ip_address: "10.0.0.9" });

  test("an apply uses the file and the time of the plan, and no others", () => {
    const deferred = deferTemplate(template(text), scope, "string");
    const read = JSON.parse(JSON.stringify(deferred)) as typeof deferred;
    expect(evaluateDeferred(read, known)).toMatchObject({
      value: "hello 2026-03-01T12:00:00Z false 10.0.0.9",
      problems: [],
    });
  });

  test("a template of a file is kept too", () => {
    const late =
      "${templatefile('hosts.tpl', {'name': daemon_vm.web['y'].ip_address, 'ports': [1]})}";
    const deferred = deferTemplate(template(late), scope, "string");
    expect(evaluateDeferred(deferred, known).value).toBe("10.0.0.9: 1\n");
  });

  test.each([
    "${file(daemon_vm.a.ip_address)}",
    "${['motd.txt'].map(f, file(f)).join('') + daemon_vm.a.ip_address}",
  ])("%s is refused while planning", (late) => {
    const [problem] = waiting(late).problems;
    expect(problem?.message).toBe("The path of file() is not known before anything is read.");
  });

  test("a file that was not read is not looked for later", () => {
    let asked = 0;
    const files: FileReader = (path) => {
      asked += 1;
      return exampleFiles(path);
    };
    const deferred = deferTemplate(template(text), { ...scope, files }, "string");
    const before = asked;
    evaluateDeferred(deferred, known);
    expect(asked).toBe(before);
  });
});
