/**
 * What is split into modules means what it means in one piece: the same instances with the same
 * values, dependencies and waiting parts, whatever goes through inputs and outputs.
 */

import fc from "fast-check";
import { expect, test } from "vitest";
import { evaluateDeferred } from "../../../src/expressions/evaluate/deferred.ts";
import type { DesiredInstance } from "../../../src/model/plan/desired.ts";
import type { PlannedAttributes } from "../../../src/model/value/value.ts";
import { amount } from "../../helpers/amount.ts";
import { loadSound } from "../../helpers/load-config.ts";
import { foldersOf } from "../../helpers/module-folders.ts";

type Item = {
  /** Index of an earlier item whose value it uses. */
  readonly uses: number | undefined;
  /** Another one, in the same expression. */
  readonly also: number | undefined;
  /** The value goes through a local of its module. */
  readonly throughLocal: boolean;
  readonly home: string;
};

/** The root, two modules, and one inside the first of these. */
const homes = ["", "a", "b", "a.n"] as const;

const items = fc
  .array(
    fc.record({
      uses: fc.option(fc.nat(11), { nil: undefined }),
      also: fc.option(fc.nat(11), { nil: undefined }),
      throughLocal: fc.boolean(),
      home: fc.constantFrom(...homes),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((all): readonly Item[] =>
    all.map((item, index) => ({
      ...item,
      uses: item.uses === undefined || index === 0 ? undefined : item.uses % index,
      also: item.also === undefined || index === 0 ? undefined : item.also % index,
    })),
  );

type Files = { readonly [path: string]: string };

const folderOf: { readonly [home: string]: string } = {
  "": "",
  a: "modules/a/",
  b: "modules/b/",
  "a.n": "modules/a/n/",
};

function parentOf(home: string): string | undefined {
  if (home === "") return undefined;
  return home.includes(".") ? home.slice(0, home.lastIndexOf(".")) : "";
}

/** Names that a value has on its way out of its home and into that of who uses it. */
class Writer {
  readonly outputs = new Map<string, Map<string, string>>();
  readonly inputs = new Map<string, Map<string, string>>();
  readonly locals = new Map<string, Map<string, string>>();
  readonly resources = new Map<string, string[]>();
  /** Resources of several modules have the same names. */
  readonly names = new Map<number, string>();

  /** How `home` writes the value of the item: `noop_resource.r1.value`, `vars.i1`, `module.a.o1`. */
  reference(index: number, from: string, home: string): string {
    if (from === home) return `noop_resource.${this.names.get(index)}.value`;
    if (isWithin(from, home)) {
      const child = childOf(home, from);
      put(this.outputs, child, `o${index}`, this.reference(index, from, child));
      return `module.${child.split(".").at(-1)}.o${index}`;
    }
    const parent = parentOf(home) ?? "";
    put(this.inputs, home, `i${index}`, this.reference(index, from, parent));
    return `vars.i${index}`;
  }

  files(): Files {
    return Object.fromEntries(
      homes.map((home) => [`${folderOf[home]}main.vmform.yaml`, this.text(home)]),
    );
  }

  text(home: string): string {
    const calls = homes.filter((one) => parentOf(one) === home);
    const entries = (block: string, lines: readonly string[]): readonly string[] =>
      lines.length === 0 ? [] : [`${block}:`, ...lines.map((line) => `  ${line}`)];
    const named = (map: Map<string, string> | undefined, form: (text: string) => string) =>
      [...(map ?? [])].map(([name, text]) => `${name}: ${form(text)}`);
    const quoted = (text: string): string => `"\${${text}}"`;
    return [
      ...entries(
        "variables",
        [...(this.inputs.get(home)?.keys() ?? [])].map((name) => `${name}: {}`),
      ),
      ...entries("locals", named(this.locals.get(home), quoted)),
      ...entries(
        "modules",
        calls.map((one) => {
          const name = one.split(".").at(-1) ?? "";
          const source = home === "" ? `./modules/${name}` : `./${name}`;
          const inputs = named(this.inputs.get(one), quoted).join(", ");
          return `${name}: { source: ${source}, inputs: { ${inputs} } }`;
        }),
      ),
      ...entries("resources", this.resources.get(home) ?? []),
      ...entries(
        "outputs",
        named(this.outputs.get(home), (text) => `{ value: ${quoted(text)} }`),
      ),
      "",
    ].join("\n");
  }
}

function put(
  maps: Map<string, Map<string, string>>,
  home: string,
  name: string,
  text: string,
): void {
  const map = maps.get(home) ?? new Map<string, string>();
  maps.set(home, map.set(name, text));
}

function isWithin(inner: string, outer: string): boolean {
  return outer === "" || inner.startsWith(`${outer}.`);
}

/** The child of `home` that leads to `inner`. */
function childOf(home: string, inner: string): string {
  const rest = home === "" ? inner : inner.slice(home.length + 1);
  const [first = ""] = rest.split(".");
  return home === "" ? first : `${home}.${first}`;
}

function write(all: readonly Item[], isSplit: boolean): Files {
  const writer = new Writer();
  const homeOf = (index: number): string => (isSplit ? (all[index]?.home ?? "") : "");
  all.forEach(({ uses, also, throughLocal }, index) => {
    const home = homeOf(index);
    let value = uses === undefined ? undefined : writer.reference(uses, homeOf(uses), home);
    if (value !== undefined && throughLocal) {
      put(writer.locals, home, `l${index}`, value);
      value = `locals.l${index}`;
    }
    const second = also === undefined ? undefined : writer.reference(also, homeOf(also), home);
    const used = [value, second].filter((one) => one !== undefined);
    const text =
      used.length === 0 ? `v${index}` : `"\${${[...used, `\\"-${index}\\"`].join(" + ")}}"`;
    const lines = writer.resources.get(home) ?? [];
    const name = `r${lines.length}`;
    writer.names.set(index, name);
    const line = `noop_resource.${name}: { name: item${index}, value: ${text} }`;
    writer.resources.set(home, [...lines, line]);
  });
  return writer.files();
}

type Loaded = {
  /** By the item, which the attribute `name` tells. */
  readonly instances: ReadonlyMap<string, DesiredInstance>;
  readonly itemAt: (address: string) => string;
};

function load(files: Files): Loaded {
  const { "main.vmform.yaml": main = "" } = files;
  const { instances } = loadSound({ "main.vmform.yaml": main }, { readFolder: foldersOf(files) });
  const byAddress = new Map<string, string>();
  for (const instance of instances) {
    const { name } = instance.resolve(() => undefined).attributes;
    if (typeof name === "string") byAddress.set(instance.address, name);
  }
  const itemAt = (address: string): string => byAddress.get(address) ?? "";
  return { instances: new Map(instances.map((one) => [itemAt(one.address), one])), itemAt };
}

test("modules change nothing but addresses", () => {
  fc.assert(
    fc.property(items, (all) => {
      const whole = load(write(all, false));
      const split = load(write(all, true));
      expect(split.instances.size).toBe(all.length);
      const values = new Map<string, PlannedAttributes>();
      const lookupIn =
        ({ itemAt }: Loaded) =>
        (address: string) =>
          values.get(itemAt(address));
      const namesIn = ({ itemAt }: Loaded, addresses: readonly string[]) =>
        addresses.map(itemAt).toSorted();
      for (const index of all.keys()) {
        const name = `item${index}`;
        const [plain, inModule] = [whole.instances.get(name), split.instances.get(name)];
        if (plain === undefined || inModule === undefined) throw new Error(`${name} is missing`);
        expect(namesIn(split, inModule.dependencies)).toEqual(namesIn(whole, plain.dependencies));
        const expected = plain.resolve(lookupIn(whole));
        const found = inModule.resolve(lookupIn(split));
        expect(found.diagnostics).toEqual([]);
        expect(found.attributes).toEqual(expected.attributes);
        values.set(name, found.attributes);
        // What waits in a plan comes to the same, once all is known.
        const { value } = inModule.resolve(() => undefined).deferred;
        const { uses, also } = all[index] ?? {};
        expect(value !== undefined).toBe(uses !== undefined || also !== undefined);
        if (value === undefined) continue;
        expect(evaluateDeferred(value, lookupIn(split)).value).toEqual(found.attributes.value);
      }
    }),
    { numRuns: amount(30, 600) },
  );
});
