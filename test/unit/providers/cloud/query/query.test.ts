/** Queries: their text in a URL, and what of an answer counts. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type {
  QueryRecord,
  QueryRequest,
  QueryTerm,
} from "../../../../../src/providers/cloud/client/client.ts";
import { filterText, fulfils } from "../../../../../src/providers/cloud/query/filter.ts";
import { queryPath, readQuery } from "../../../../../src/providers/cloud/query/query.ts";

const window = { page: 1, size: 128 };

function record(name: string, attributes: { readonly [name: string]: string } = {}): QueryRecord {
  const href = `/api/vApp/vm-${name}`;
  return { element: "VMRecord", href, key: href, attributes: { href, name, ...attributes } };
}

/** The names a server finds, and the paths it was asked for. */
async function ask(request: QueryRequest, records: readonly QueryRecord[]) {
  const paths: string[] = [];
  const found = await readQuery(
    async (path) => {
      paths.push(path);
      return { records, total: records.length, hasNext: false };
    },
    request,
    128,
  );
  return { found, names: found.map(({ attributes }) => attributes.name), paths };
}

/** The language as a server reads it: split by what stands raw, then decoded once. */
function understood(text: string): string {
  const [, attribute, value] = /^(\w+)==(.*)$/s.exec(text) ?? [];
  return `${attribute} is ${decodeURIComponent((value ?? "").replaceAll("+", " "))}`;
}

describe("the text of a condition", () => {
  test.each<[QueryTerm, string | undefined]>([
    [{ attribute: "status", equals: "POWERED_ON" }, "status==POWERED_ON"],
    [{ attribute: "name", equals: "a b" }, "name==a%20b"],
    [{ attribute: "name", equals: "a+b&c#d/ü" }, "name==a%2Bb%26c%23d%2F%C3%BC"],
    [{ attribute: "name", equals: "it's" }, "name==it%27s"],
    [{ attribute: "vc", equals: "https://h/api/x" }, "vc==https%3A%2F%2Fh%2Fapi%2Fx"],
    // What the language cannot carry is asked for as a wildcard.
    [{ attribute: "name", equals: "a(b),c;d=e*f%g" }, "name==a*b*c*d*e*f*g"],
    [{ attribute: "name", equals: "" }, undefined],
    [{ attribute: "name", like: "web*" }, "name==web*"],
    [{ attribute: "name", like: "a,b *" }, "name==a*b%20*"],
    [{ attribute: "name", oneOf: ["a"] }, "name==a"],
    [{ attribute: "name", oneOf: ["a", "b c"] }, "(name==a,name==b%20c)"],
    [{ attribute: "name", oneOf: ["a", ""] }, undefined],
    [{ raw: "status==POWERED_ON;name==web 1*" }, "(status==POWERED_ON;name==web%201*)"],
    [{ raw: "(a==1;b!=2),c=gt=3&d#%" }, "((a==1;b!=2),c=gt=3%26d%23%25)"],
    [{ raw: "  " }, undefined],
  ])("%j", (term, text) => {
    expect(filterText(term)).toBe(text);
  });

  test("operators are the only raw ones, and the value arrives or a wildcard covers it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (value) => {
        const text = filterText({ attribute: "name", equals: value }) ?? "";
        expect(text).toMatch(/^name==[\w.%*-]*$/);
        const arrived = understood(text).slice("name is ".length);
        if (!arrived.includes("*")) expect(arrived).toBe(value);
        const pattern = arrived
          .split("*")
          .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
          .join(".*");
        expect(value).toMatch(new RegExp(`^${pattern}$`, "s"));
      }),
    );
  });
});

describe("the path of a page", () => {
  test.each<[QueryRequest, string]>([
    [{ type: "datastore" }, "/api/query?type=datastore&format=records&pageSize=128&page=1"],
    [
      { type: "datastore", format: "idrecords", fields: ["name", "metadata:a b"] },
      "/api/query?type=datastore&format=idrecords&fields=name,metadata:a%20b&pageSize=128&page=1",
    ],
    [
      { type: "vm", fields: ["name"], filter: [{ attribute: "status", equals: "POWERED_ON" }] },
      "/api/query?type=vm&format=records&fields=name,status,isVAppTemplate" +
        "&filter=status==POWERED_ON;isVAppTemplate==false&pageSize=128&page=1",
    ],
    [
      { type: "adminVM", format: "references", fields: ["name"] },
      "/api/query?type=adminVM&format=references&filter=isVAppTemplate==false&pageSize=128&page=1",
    ],
    [
      { type: "vm", withTemplates: true, filter: [{ raw: "a==1,b==2" }] },
      "/api/query?type=vm&format=records&filter=(a==1,b==2)&pageSize=128&page=1",
    ],
  ])("%j", (request, path) => {
    expect(queryPath(request, window)).toBe(path);
  });
});

describe("what counts of an answer", () => {
  test("templates are left out by what they say and by where they are", async () => {
    const records = [
      record("a", { isVAppTemplate: "false" }),
      record("b", { isVAppTemplate: "true" }),
      { ...record("c"), href: "/api/vAppTemplate/vm-c", key: "/api/vAppTemplate/vm-c" },
      record("d"),
    ];
    expect((await ask({ type: "vm" }, records)).names).toEqual(["a", "d"]);
    expect((await ask({ type: "vm", withTemplates: true }, records)).names).toHaveLength(4);
    expect((await ask({ type: "vApp" }, records)).names).toHaveLength(4);
  });

  test("values are compared here too: servers ignore letter case, and wildcards find more", async () => {
    const filter = [{ attribute: "name", equals: "web,1" }];
    const records = ["web,1", "WEB,1", "web-1", "web,,1"].map((name) => record(name));
    expect((await ask({ type: "vm", filter }, records)).names).toEqual(["web,1"]);
    const oneOf = [{ attribute: "name", oneOf: ["a", "b"] }];
    expect(
      (
        await ask(
          { type: "vm", filter: oneOf },
          ["a", "A", "b"].map((name) => record(name)),
        )
      ).names,
    ).toEqual(["a", "b"]);
  });

  test.each<[QueryTerm, boolean]>([
    [{ attribute: "vc", equals: "plain" }, true],
    [{ attribute: "vc", equals: "wide,ned" }, false],
    [{ attribute: "vc", equals: "" }, false],
    [{ attribute: "vc", like: "x*" }, true],
    [{ raw: "vc==x" }, true],
  ])("a record that does not show the attribute of %j: %j", (term, expected) => {
    expect(fulfils(record("a"), [term])).toBe(expected);
  });

  test("only what was asked for is shown, sorted by path", async () => {
    const records = [
      record("b", { status: "S", extra: "x" }),
      record("a", { isVAppTemplate: "false" }),
    ];
    const filter = [{ attribute: "name", like: "*" }];
    const { found } = await ask({ type: "vm", fields: ["status"], filter }, records);
    expect(found.map(({ attributes }) => attributes)).toEqual([
      { href: "/api/vApp/vm-a" },
      { href: "/api/vApp/vm-b", status: "S" },
    ]);
  });

  test("no values match nothing, and nothing is asked", async () => {
    const filter = [{ attribute: "name", oneOf: [] }];
    expect(await ask({ type: "vm", filter }, [record("a")])).toMatchObject({
      names: [],
      paths: [],
    });
  });

  test("many values are several queries, each short enough, each value in one of them", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 60 }), {
          minLength: 1,
          maxLength: 300,
        }),
        async (values) => {
          const names = values.map((value) => value.replaceAll(/[^\w]/g, "x"));
          const filter: QueryTerm[] = [
            { attribute: "name", oneOf: names },
            { attribute: "status", equals: "S" },
          ];
          const { paths } = await ask({ type: "vm", fields: ["name"], filter }, []);
          const asked = paths.flatMap((path) =>
            [...path.matchAll(/name==(\w+)/g)].map(([, one]) => one),
          );
          expect(new Set(asked)).toEqual(new Set(names));
          for (const path of paths) {
            expect(path.length).toBeLessThanOrEqual(4096);
            expect(path).toContain(";status==S;isVAppTemplate==false&");
          }
        },
      ),
      { numRuns: 50 },
    );
  });
});
