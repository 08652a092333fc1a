import { expect, test } from "vitest";
import {
  readMethodPage,
  readResultPage,
} from "../../../../../src/providers/manager/reclaim/browser-page.ts";
import { formPage, nonce, resultPage, taskResult } from "../browser-server.ts";

const hidden = (written: string): string => `<html><form>${written}</form></html>`;

test.each([
  ["as newer builds write it", formPage, nonce],
  [
    "unquoted",
    hidden("<input name=vmware-session-nonce type=hidden value=52ab-9c/d>"),
    "52ab-9c/d",
  ],
  [
    "in another order, with a reference",
    hidden("<INPUT TYPE='hidden' VALUE='a&amp;b' NAME='vmware-session-nonce' />"),
    "a&b",
  ],
  [
    "after other fields",
    hidden('<input name="x" value="1"><input value="n" name="vmware-session-nonce">'),
    "n",
  ],
])("the nonce of a form %s", (_what, page, expected) => {
  expect(readMethodPage(page)).toEqual({ kind: "form", nonce: expected });
});

test.each([
  ["", { kind: "other", words: "" }],
  ["<html><body><p>It works!</p></body></html>", { kind: "other", words: "It works!" }],
  [hidden('<input name="vmware-session-nonce" value="">'), { kind: "other", words: "" }],
  [hidden('user <input name="u"><input type="password" name="p">'), { kind: "login" }],
  [
    "<!-- <input name='vmware-session-nonce' value='x'> --><p>off</p>",
    { kind: "other", words: "off" },
  ],
])("a page without nonce: %s", (page, expected) => {
  expect(readMethodPage(page)).toEqual(expected);
});

test.each([
  ["the form's own build", resultPage(taskResult), "task-123"],
  [
    "a table, the type in bold",
    `<p>Method  Invocation\n Result: <strong>ManagedObjectReference:Task</strong></p>
     <table><tr><td class="c1">ManagedObjectReference:Task</td>
     <td><a href="/mob/?moid=task%2D7">task-7</a></td></tr></table>`,
    "task-7",
  ],
  [
    "a single host",
    resultPage(
      'ManagedObjectReference:Task <a href="?moid=' +
        'haTask%2d12%2dvim.VirtualMachine.wipeDisk%2d99">x</a>',
    ),
    "haTask-12-vim.VirtualMachine.wipeDisk-99",
  ],
  ["text alone", resultPage("ManagedObjectReference:Task task-55."), "task-55"],
  [
    "an absolute link with other parts",
    resultPage(
      'Task <a href="https://m.example.com/mob/?a=1&amp;moid=task-9&amp;doPath=info">t</a>',
    ),
    "task-9",
  ],
])("the task of a result page: %s", (_what, page, task) => {
  expect(readResultPage(page)).toEqual({ kind: "task", task });
});

test("a link before the literal is none of the result", () => {
  const page = resultPage("ManagedObjectReference:Task");
  expect(page).toContain("moid=ha%2dfolder%2droot");
  expect(readResultPage(page)).toMatchObject({ kind: "other" });
});

/** A fault is a table with status 200, as any other object. */
function faultTable(rows: readonly (readonly [string, string, string])[]): string {
  const cells = rows.map(
    ([name, type, value]) => `<tr><td>${name}</td><td>${type}</td><td>${value}</td></tr>`,
  );
  return `<table summary="Table of properties for this Data Object">
    <tr><th>NAME</th><th>TYPE</th><th>VALUE</th></tr>${cells.join("")}</table>`;
}

test.each([
  [
    "with the literal",
    resultPage(
      `NoPermission</p>${faultTable([
        ["dynamicProperty", "DynamicProperty[]", "Unset"],
        ["faultCause", "MethodFault", "Unset"],
        ["faultMessage", "LocalizableMessage[]", "Unset"],
        ["object", "ManagedObjectReference:Folder", "group-d1"],
        ["privilegeId", "string", "&quot;System.View&quot;"],
      ])}`,
    ),
    { type: "NoPermission", message: "(privilegeId System.View)" },
  ],
  [
    "without the literal, in a row",
    formPage.replace(
      "</body>",
      `${faultTable([
        ["fault", "TaskInProgress", "TaskInProgress"],
        ["localizedMessage", "string", '"Another task is already in progress."'],
      ])}</body>`,
    ),
    { type: "TaskInProgress", message: "Another task is already in progress." },
  ],
  [
    "without rows that are known, by its name",
    resultPage("vim.fault.WipeDiskFault"),
    { type: "WipeDiskFault", message: "" },
  ],
  [
    "without a type",
    `<p>failed</p>${faultTable([["faultCause", "MethodFault", "Unset"]])}`,
    { type: "", message: "" },
  ],
  [
    "without a type, with a field that no other fault has",
    `<p>failed</p>${faultTable([
      ["faultCause", "MethodFault", "Unset"],
      ["task", "ManagedObjectReference:Task", "task-7"],
    ])}`,
    { type: "TaskInProgress", message: "" },
  ],
  [
    "without a type, with such a field unset",
    `<p>failed</p>${faultTable([
      ["faultCause", "MethodFault", "Unset"],
      ["diskId", "int", "Unset"],
    ])}`,
    { type: "", message: "" },
  ],
])("a fault %s", (_what, page, fault) => {
  expect(readResultPage(page)).toEqual({ kind: "fault", fault });
});

test.each([
  ["void", resultPage("void"), { kind: "value", type: "void" }],
  [
    "an object",
    resultPage(`ServiceContent</p> ${faultTable([["about", "AboutInfo", "about"]])}`),
    { kind: "value", type: "ServiceContent" },
  ],
  ["a refused form", "<h1>CSRF error</h1>", { kind: "forgery", words: "CSRF error" }],
  ["a login", hidden('<input type="Password">'), { kind: "login" }],
  ["the form again", hidden("Invoke Method"), { kind: "other", words: "Invoke Method" }],
])("no task: %s", (_what, page, expected) => {
  expect(readResultPage(page)).toEqual(expected);
});

test("pages may nest as deep as they like", () => {
  const depth = 2_000;
  const page = `${"<div>".repeat(depth)}Method Invocation Result: void${"</div>".repeat(depth)}`;
  expect(readResultPage(page)).toEqual({ kind: "value", type: "void" });
});
