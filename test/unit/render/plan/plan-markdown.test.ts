/** A plan as Markdown: within its limit, whole entries only, and nothing breaks out of it. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { planMarkdown } from "../../../../src/render/plan/plan-markdown.ts";
import { planSummaryText } from "../../../../src/render/plan/plan-summary.ts";
import { markdownBytesMin } from "../../../../src/render/text/markdown.ts";
import { buildChange, buildPlan } from "../../../helpers/plan-builder.ts";
import { testTypes } from "../../../helpers/recorded-builder.ts";

const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 30 }),
  fc.constantFrom("</details>", "```", "`` ` ``", "\n\n# x", "<!--", "@all", "</code>", ""),
);
const plans = fc.array(fc.tuple(text, text, text), { maxLength: 15 }).map((rows) =>
  buildPlan({
    changes: rows.map(([key, before, after], index) =>
      buildChange(`daemon_vm.v[${JSON.stringify(`${index}${key}`)}]`, {
        before: { id: "v", tag: before },
        after: { id: "v", tag: `${after}!${before}` },
      }),
    ),
  }),
);
const types = testTypes;

test("is never longer than the limit, and tells what it leaves out", () => {
  fc.assert(
    fc.property(plans, fc.integer({ min: markdownBytesMin, max: 5_000 }), (plan, maxBytes) => {
      const whole = planMarkdown(plan, { types });
      const cut = planMarkdown(plan, { types, maxBytes });
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(maxBytes);
      expect(cut).toContain(planSummaryText(plan));
      if (cut === whole) return;
      const missing = Number(/^_(\d+) more section/m.exec(cut)?.[1]);
      const entries = (of: string): number => of.split("<details><summary>").length - 1;
      expect(entries(whole) - entries(cut)).toBe(missing);
      expect(missing).toBeGreaterThan(0);
    }),
  );
});

test("no value opens or closes an element or a block of code", () => {
  fc.assert(
    fc.property(plans, (plan) => {
      let fence: string | undefined;
      let open = 0;
      for (const line of planMarkdown(plan, { types }).split("\n")) {
        const mark = /^(`{3,})(\w*)$/.exec(line);
        if (fence === undefined && mark?.[2] === "text") fence = mark[1];
        else if (fence !== undefined && line === fence) fence = undefined;
        else if (fence === undefined && line.startsWith("<details>")) {
          expect(line.replaceAll(/<\/?(?:details|summary|code)>/g, "")).not.toMatch(/[<>]/);
          open += 1;
        } else if (fence === undefined && line === "</details>") open -= 1;
        expect(open === 0 || open === 1).toBe(true);
      }
      expect([fence, open]).toEqual([undefined, 0]);
    }),
  );
});
