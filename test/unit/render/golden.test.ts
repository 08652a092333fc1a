/** Every plan case in every form, beside the text that was accepted. `vitest -u` accepts. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { stringifyJson } from "../../../src/lib/json.ts";
import { compileSchema } from "../../../src/lib/schema/schema.ts";
import { planJson } from "../../../src/render/plan/plan-json.ts";
import { planMarkdown } from "../../../src/render/plan/plan-markdown.ts";
import { planText } from "../../../src/render/plan/plan-text.ts";
import { requestsText } from "../../../src/render/plan/requests-text.ts";
import { planMessages } from "../../../src/render/run/stream-json.ts";
import { markdownBytesMin } from "../../../src/render/text/markdown.ts";
import { buildPlan } from "../../helpers/plan-builder.ts";
import { testTypes } from "../../helpers/recorded-builder.ts";
import { planCases } from "./plan-cases.ts";
import { wrappedColumns } from "./wrapped-columns.ts";

const golden = new URL("../../golden/render/", import.meta.url);
const types = testTypes;
const schemaUrl = new URL("../../../schemas/plan-json.schema.json", import.meta.url);
const checkPlanJson = compileSchema(JSON.parse(readFileSync(schemaUrl, "utf8")) as object);
const cases = Object.entries(planCases);
/** What a terminal or an eye would not show as it is, newlines aside. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\u00a0]/u;

describe.each(cases)("plan case %s", (name, plan) => {
  const files: readonly (readonly [string, () => string])[] = [
    ["plan.txt", () => planText(plan, { color: false, types })],
    ["plan-80.txt", () => planText(plan, { color: false, width: 80, types })],
    ["plan-40.txt", () => planText(plan, { color: false, width: 40, types })],
    ["plan-120.txt", () => planText(plan, { color: false, width: 120, types })],
    ["compact-120.txt", () => planText(plan, { color: false, width: 120, types, compact: true })],
    ["compact-80.txt", () => planText(plan, { color: false, width: 80, types, compact: true })],
    ["compact-40.txt", () => planText(plan, { color: false, width: 40, types, compact: true })],
    ["plan-markdown.txt", () => planMarkdown(plan, { types })],
    ["plan-markdown-cut.txt", () => planMarkdown(plan, { types, maxBytes: markdownBytesMin })],
    ["requests.txt", () => requestsText(plan, { color: false, types })],
    ["plan.json", () => stringifyJson(planJson(plan, types), { indent: 2 })],
    [
      "stream.json",
      () =>
        planMessages(plan, plan.createdMs)
          .map((message) => stringifyJson(message))
          .join("\n"),
    ],
  ];

  test.each(files)("%s", async (file, render) => {
    const text = render();
    await expect(`${text}\n`).toMatchFileSnapshot(new URL(`${name}/${file}`, golden).pathname);
  });

  test("no form holds a secret or a character that is not shown as it is", () => {
    const secretBase64 = Buffer.from("s3cr&t").toString("base64").slice(0, 6);
    for (const [file, render] of files) {
      const text = render();
      expect(text).not.toContain("s3cr");
      expect(text).not.toContain(secretBase64);
      if (file.endsWith(".txt")) expect(text.replaceAll("\n", "")).not.toMatch(unsafe);
    }
  });

  test("its data fit the schema", () => {
    expect(checkPlanJson(planJson(plan, types))).toEqual([]);
  });

  test.each([80, 40, 12])("at %i columns no line is longer but by what is pasted", (width) => {
    for (const compact of [false, true]) {
      const text = planText(plan, { color: false, width, types, compact });
      for (const line of text.split("\n")) expect(wrappedColumns(line)).toBeLessThanOrEqual(width);
    }
  });

  test("colour changes nothing but the colour", () => {
    const plain = planText(plan, { color: false, width: 40, types });
    const colored = planText(plan, { color: true, width: 40, types });
    expect(colored.replaceAll(/\u001b\[\d+m/g, "")).toBe(plain);
    expect(colored).not.toBe(plain);
  });
});

test("the schema of plan data refuses what is not", () => {
  const data = planJson(planCases["power-cycle"] ?? buildPlan(), types);
  expect(checkPlanJson(data)).toEqual([]);
  expect(checkPlanJson({ ...data, extra: 1 })).not.toEqual([]);
  expect(checkPlanJson({ ...data, blocked: [1] })).not.toEqual([]);
});
