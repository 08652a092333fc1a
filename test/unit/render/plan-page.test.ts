/** The page of a plan, and when its operations would run. `vitest -u` accepts pages. */

import { describe, expect, test } from "vitest";
import { planPage } from "../../../src/render/html/plan-page.ts";
import { planGitlab } from "../../../src/render/plan/plan-gitlab.ts";
import { scheduleOf } from "../../../src/render/plan/schedule.ts";
import { onlyInLongRun } from "../../helpers/amount.ts";
import { buildChange, buildOperation, buildPlan } from "../../helpers/plan-builder.ts";
import { testTypes as types } from "../../helpers/recorded-builder.ts";
import { planCases } from "./plan-cases.ts";

const golden = new URL("../../golden/render/", import.meta.url).pathname;

describe.each(Object.entries(planCases))("plan case %s", (name, plan) => {
  const html = planPage(plan, { types, version: "1.2.3" });

  test("as a page", async () => {
    const shown = html
      .replaceAll(/<(style|script)>[^]*?<\/\1>/g, "<$1></$1>")
      .replaceAll(/sha256-[\w+/=]*/g, "sha256-…")
      .replaceAll("><", ">\n<");
    await expect(`${shown}\n`).toMatchFileSnapshot(`${golden}${name}/plan.html`);
  });

  test("holds no secret, and asks nobody", () => {
    expect(html).not.toContain("s3cr");
    expect(html.replaceAll(/<(style|script)>[^]*?<\/\1>/g, "")).not.toMatch(/ (src|on\w+|style)=/);
    expect(html).toContain("default-src &#39;none&#39;");
  });

  test("its numbers for GitLab are three", () => {
    expect(Object.keys(planGitlab(plan))).toEqual(["create", "update", "delete"]);
  });
});

test("a page of 300 alike has one entry for them, in which each is named", () => {
  const names = Array.from({ length: 300 }, (_, index) => `daemon_vm.m["host-${index}"]`);
  const changes = names.map((name) => buildChange(name, { before: null, after: { id: name } }));
  const html = planPage(buildPlan({ changes }), { types, version: "1.2.3" });
  const rows = html.match(/<details [^>]*data-verdict[^]*?<\/details>/g) ?? [];
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatch(/id="daemon_vm\.m".*daemon_vm\.m: 300 instances will be/s);
  for (const key of [0, 150, 299]) expect(rows[0]).toContain(`host-${key}`);
  expect(html).not.toContain("This is cut");
});

test(
  "a page of 10,000 creates stays below 300 kB and says what is not in it",
  onlyInLongRun,
  () => {
    const names = Array.from(
      { length: 10_000 },
      (_, index) => `daemon_vm.machine["host-${index}"]`,
    );
    const plan = buildPlan({
      changes: names.map((name) => buildChange(name, { before: null, after: { id: name } })),
      operations: names.map((name) => buildOperation(name, "create", {})),
    });
    const html = planPage(plan, { types, version: "1.2.3" });
    expect(Buffer.byteLength(html)).toBeLessThan(300_000);
    expect(html).toMatch(/daemon_vm\.machine: 10000 instances will be/);
    expect(html).toContain("This is cut; the whole of it is in: vmform plan");
    expect(html).toContain("more operations not drawn");
  },
);

describe("what waits for what", () => {
  const page = (count: number, name = (index: number) => `daemon_vm.m${index}`) =>
    planPage(
      buildPlan({
        operations: Array.from({ length: count }, (_, index) =>
          buildOperation(name(index), "create", {
            order:
              index === 0
                ? {}
                : { after: [{ id: `${name(index - 1)}#create.1`, on: "success" as const }] },
          }),
        ),
      }),
      { types, version: "1.2.3" },
    );
  const boxes = (html: string) => html.match(/class="node[^"]*"/g)?.length ?? 0;

  test("a box for each object of a chain, none of them over another one", () => {
    const html = page(5);
    expect(boxes(html)).toBe(5);
    const lefts = [...html.matchAll(/class="node[^"]*" rx="4" x="([\d.]+)"/g)].map(([, x]) => x);
    expect(new Set(lefts).size).toBe(5);
    expect(html.match(/class="edge"/g)).toHaveLength(4);
  });

  test("nothing is drawn where nothing waits, and where nobody could follow", () => {
    expect(page(1)).not.toContain("What waits for what");
    const many = page(81);
    expect(boxes(many)).toBe(0);
    expect(many).toMatch(
      /81 objects wait for each other by 80 arrows, too many .*--type operations/,
    );
  });

  test("a circle between objects, which is none between operations", () => {
    const [a, b] = ["daemon_vm.a", "daemon_vm.b"];
    const after = (id: string) => ({ order: { after: [{ id, on: "success" as const }] } });
    const operations = [
      buildOperation(a, "detach", {}),
      buildOperation(b, "create", after(`${a}#detach.1`)),
      buildOperation(a, "attach", after(`${b}#create.1`)),
    ];
    const html = planPage(buildPlan({ operations }), { types, version: "1.2.3" });
    expect(boxes(html)).toBe(2);
    expect(html.match(/class="edge"/g)).toHaveLength(2);
  });

  test("a key is text", () => {
    const html = page(2, (index) => `daemon_vm.m["</title><script>${index}"]`);
    expect(boxes(html)).toBe(2);
    expect(html.match(/<script>/g)).toHaveLength(1);
  });
});

describe("when operations would run", () => {
  const [first, second, other] = ["daemon_vm.a#one.1", "daemon_vm.b#two.1", "daemon_vm.c#x.1"];
  const limit = (limitMs: number) => ({ proof: { limitMs } });
  const lock = (key: string) => [{ key, mode: "exclusive" as const }];

  test("one that waits begins at the end of what it waits for, through joins", () => {
    const plan = buildPlan({
      operations: [
        buildOperation("daemon_vm.a", "one", { ...limit(1000), order: { locks: lock("a") } }),
        buildOperation("daemon_vm.b", "two", {
          ...limit(500),
          order: { after: [{ id: "join", on: "success" }], locks: lock("b") },
        }),
        buildOperation("daemon_vm.c", "x", { ...limit(1200), order: { locks: lock("c") } }),
      ],
      joins: [{ id: "join", after: [{ id: first, on: "success" }] }],
    });
    const { items, endMs } = scheduleOf(plan);
    const times = new Map(
      items.map(({ operation, startMs, critical }) => [operation.id, [startMs, critical]]),
    );
    expect(times.get(first)).toEqual([0, true]);
    expect(times.get(second)).toEqual([1000, true]);
    expect(times.get(other)).toEqual([0, false]);
    expect(endMs).toBe(1500);
  });

  test("one machine does one thing at a time, whatever its operations are about", () => {
    const plan = buildPlan({
      operations: ["a", "b"].map((name) =>
        buildOperation(`daemon_vm.${name}`, "one", {
          ...limit(1000),
          order: { locks: lock("same") },
        }),
      ),
    });
    const { items, lanes, endMs } = scheduleOf(plan);
    expect(lanes).toHaveLength(1);
    expect(items.map(({ startMs }) => startMs)).toEqual([0, 1000]);
    expect(endMs).toBe(2000);
  });
});

test("what a rehearsal has shown to fail stands above all of it, and is marked in the drawing", () => {
  const operations = ["a", "b"].map((name) => {
    return buildOperation(`daemon_vm.${name}`, "on", { id: name, summary: `<on> ${name}` });
  });
  const rehearsed = operations.map(({ id, subject, verb, summary }, index) => ({
    ...{ id, address: subject.address, type: subject.type, verb, summary },
    ...{ startMs: index * 300, endMs: index * 300 + 300 },
    outcome: index === 0 ? ("success" as const) : ("failed" as const),
  }));
  const html = planPage(buildPlan({ operations }), {
    ...{ types, version: "1.2.3" },
    rehearsal: {
      ...{ planId: "p", atMs: 0, durationMs: 600, operations: rehearsed, windows: [] },
      ...{ datastores: [], diagnostics: [], paces: [], unknown: ["what others do"] },
      failures: [{ id: "b", reason: "no", holdsBack: [] }],
    },
  });
  const part = html.slice(html.indexOf("<h2>Rehearsal"), html.indexOf("<h2>Operations along"));
  expect(part).toMatch(
    /1 failure.*daemon_vm\.b: &lt;on&gt; b: no.*<svg.*Timeline.*what others do/s,
  );
  expect(part.match(/class="bar fails"/g)).toHaveLength(1);
  expect(part.match(/>(\d+ms|\d\.?\ds)</g)?.slice(0, 3)).toEqual([">0ms<", ">150ms<", ">300ms<"]);
  expect(part).not.toContain("decides on the whole time");
});
