/** `vmform.state.postgres` as settings, and what is refused of it. */

import { describe, expect, test } from "vitest";
import { loadSettings } from "../../../../src/config/load-settings.ts";
import { toBytes } from "../../../helpers/load-config.ts";

const context = { directory: "/folder", home: "/homes/somebody", version: "0.1.0" };

function load(postgres: string) {
  const text = `vmform: { state: { postgres: ${postgres} } }\n`;
  const { settings, diagnostics } = loadSettings(
    [{ name: "main.vmform.yaml", bytes: toBytes(text) }],
    context,
  );
  return { state: settings.state, diagnostics };
}

describe("settings", () => {
  const found = { kind: "postgres", directory: "/folder", beside: "/folder/state/default.json" };

  test("by default all is left to the environment", () => {
    const { state, diagnostics } = load("{}");
    expect(diagnostics).toEqual([]);
    expect(state).toEqual({ ...found, name: "default", schema: "vmform" });
  });

  test("each is taken as it is, and paths are those of the configuration", () => {
    const url = "postgres://ann@db.example:5433/infra?sslmode=verify-ca&connect_timeout=3";
    const { state, diagnostics } = load(
      `{ url: "${url}", password: { file: pw }, ca_file: ca.pem, name: web, schema: infra }`,
    );
    expect(diagnostics).toEqual([]);
    expect(state).toEqual({
      ...found,
      url,
      password: { kind: "file", path: "pw" },
      caFile: "/folder/ca.pem",
      name: "web",
      schema: "infra",
    });
  });

  test.each([
    ['{ command: ["pass", "db"] }', { kind: "command", words: ["pass", "db"] }],
    [
      "{ vault: { path: kv/db, field: pw } }",
      { kind: "vault", mount: "kv", path: "db", field: "pw" },
    ],
    ["{ env: DB_PASSWORD }", { kind: "env", name: "DB_PASSWORD" }],
  ])("a password is referred to: %s", (written, password) => {
    expect(load(`{ password: ${written} }`).state).toMatchObject({ password });
  });
});

describe("refused, without quoting a secret", () => {
  test.each([
    ["no url", "{ url: db.example }", "CFG020", "is none"],
    ["another protocol", '{ url: "mysql://db/x" }', "CFG020", "mysql:"],
    ["a password in it", '{ url: "postgres://ann:tr0ub4dor@db/x" }', "CFG020", "A password"],
    ["one as a parameter", '{ url: "postgres://db/x?password=tr0ub4dor" }', "CFG020", "A password"],
    ["a parameter of others", '{ url: "postgres://db/x?sslrootcert=a" }', "CFG020", "sslrootcert"],
    ["a password as it is", "{ password: tr0ub4dor }", "CFG034", "A secret stands here"],
    ["half a reference", "{ password: { vault: { path: tr0ub4dor } } }", "CFG034", "A secret"],
    ["a setting of others", "{ conn_str: x }", "CFG013", "conn_str"],
  ])("%s", (_name, written, code, words) => {
    const { diagnostics } = load(written);
    expect(diagnostics.map((one) => one.code)).toEqual([code]);
    expect(diagnostics[0]?.detail).toContain(words);
    expect(JSON.stringify(diagnostics)).not.toContain("tr0ub4dor");
  });

  test("two places at once", () => {
    const text = "vmform: { state: { local: { path: a.json }, postgres: {} } }\n";
    const { diagnostics } = loadSettings([{ name: "a", bytes: toBytes(text) }], context);
    expect(diagnostics.map((one) => one.code)).not.toEqual([]);
  });
});
