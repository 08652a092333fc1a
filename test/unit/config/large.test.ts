/** Large inputs: nothing overflows the stack, and nothing is quadratic. The runner ends a hang. */

import { describe, expect, test } from "vitest";
import { amount, onlyInLongRun } from "../../helpers/amount.ts";
import { loadConfig, loadSound } from "../../helpers/load-config.ts";

const many = amount(500, 6_000);

function lines(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join("\n");
}

describe("large circles", () => {
  test("of resources are one problem, shortened", () => {
    const { value, diagnostics } = loadConfig(
      `resources:\n${lines(many, (index) => {
        const next = (index + 1) % many;
        return `  daemon_vm.v${index}: { id: v${index}, tag: "\${daemon_vm.v${next}.ip_address}" }`;
      })}\n`,
    );
    expect(value).toBeUndefined();
    expect(diagnostics).toHaveLength(1);
    expect(diagnostics[0]).toMatchObject({ code: "CFG031", source: { line: 2, column: 32 } });
    expect(diagnostics[0]?.detail).toMatch(
      /^daemon_vm\.v0 \(main\.vmform\.yaml:2:32\) needs .*, .* needs daemon_vm\.v0 again\.$/,
    );
    expect(diagnostics[0]?.detail).toContain(`… ${many - 8} more …`);
    expect(diagnostics[0]?.detail.length).toBeLessThan(700);
  });

  test("of locals too", () => {
    const { diagnostics } = loadConfig(
      `locals:\n${lines(many, (index) => `  l${index}: "\${locals.l${(index + 1) % many}}"`)}\n`,
    );
    expect(diagnostics).toMatchObject([{ code: "CFG030", source: { line: 2, column: 3 } }]);
    expect(diagnostics[0]?.detail).toContain(`… ${many - 8} more …`);
  });
});

test("a long chain of resources keeps its order", onlyInLongRun, () => {
  const { instances } = loadSound(
    `resources:\n${lines(many, (index) => {
      const tag = index === 0 ? "first" : `\${daemon_vm.v${index - 1}.ip_address}`;
      return `  daemon_vm.v${index}: { id: v${index}, tag: "${tag}" }`;
    })}\n`,
  );
  expect(instances).toHaveLength(many);
  expect(instances[many - 1]?.dependencies).toEqual([`daemon_vm.v${many - 2}`]);
});

test("a large count", onlyInLongRun, () => {
  const count = amount(8_000, 60_000);
  const text = `resources: { noop_resource.a: { count: ${count}, name: "n\${count.index}" } }`;
  const { instances } = loadSound(text);
  expect(instances.at(-1)?.address).toBe(`noop_resource.a[${count - 1}]`);
});

test("resources that follow a large for_each key by key, or wait for all of it", () => {
  const count = amount(1_000, 20_000);
  const { instances } = loadSound(
    `locals:
  all:
${lines(count, (index) => `    k${index}: ${index}`)}
resources:
  noop_resource.a:
    for_each: \${locals.all}
    name: "a-\${each.key}"
  noop_resource.b:
    for_each: \${locals.all}
    name: "b-\${each.value}"
    value: \${noop_resource.a[each.key].name}
  noop_resource.c:
    for_each: \${locals.all}
    name: "c-\${each.key}"
    depends_on: [noop_resource.a]
`,
  );
  expect(instances).toHaveLength(3 * count);
  const last = instances[2 * count - 1];
  expect(last?.dependencies).toEqual([`noop_resource.a["k${count - 1}"]`]);
  expect(instances[3 * count - 1]?.dependencies).toHaveLength(count);
  // Shared, not copied for each instance.
  expect(instances[3 * count - 1]?.dependencies).toBe(instances[2 * count]?.dependencies);
});

test("10 MB of configuration", onlyInLongRun, () => {
  const text = `variables: { team: { default: web } }\nresources:\n${lines(
    many,
    (index) => `  daemon_vm.v${index}:
    id: "v-${index}"
    name: "\${vars.team}-${index}"
    tag: ${"x".repeat(10_000_000 / many)}
    power: on
    lifecycle: { prevent_destroy: true }`,
  )}\n`;
  expect(text.length).toBeGreaterThan(10_000_000);
  const { instances } = loadSound(text);
  expect(instances).toHaveLength(many);
  expect(instances[many - 1]?.resolve(() => undefined).attributes).toMatchObject({
    name: `web-${many - 1}`,
  });
});

test("thousands of problems on one line", onlyInLongRun, () => {
  const entries = lines(many, (index) => `daemon_vm.v${index}: {id: v${index}, power: yes}`);
  const { diagnostics } = loadConfig(`resources: {${entries.replaceAll("\n", ", ")}}\n`);
  expect(diagnostics).toHaveLength(many);
});

test.each([
  ["that are not closed", "${ ", 1],
  ["that name nothing", "${x} ", 51],
])("one line of thousands of expressions %s", onlyInLongRun, (_what, written, told) => {
  const { diagnostics } = loadConfig(`locals:\n  a: "${written.repeat(100 * many)}"\n`);
  expect(diagnostics).toHaveLength(told);
});

test("thousands of names for one object", onlyInLongRun, () => {
  const { diagnostics } = loadConfig(
    `resources:\n${lines(many, (index) => `  daemon_vm.v${index}: { id: same }`)}\n`,
  );
  expect(diagnostics).toHaveLength(many - 1);
});

test("one anchor merged into thousands of resources", onlyInLongRun, () => {
  const { instances } = loadSound(
    `locals: { base: &base { power: on, tag: shared } }\nresources:\n${lines(
      many,
      (index) => `  daemon_vm.v${index}: { <<: *base, id: v${index} }`,
    )}\n`,
  );
  expect(instances).toHaveLength(many);
});
