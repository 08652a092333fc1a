import { describe, expect, test } from "vitest";
import { loadSettings } from "../../../src/config/load-settings.ts";
import { toBytes } from "../../helpers/load-config.ts";

const context = { directory: "/folder", home: "/homes/somebody", version: "0.1.0" };
const block = "vmform: { state: { local: { path: mine.json } } }\n";

function at(path: string): string {
  return `vmform: { state: { local: { path: ${path} } } }\n`;
}

function load(files: { readonly [name: string]: string }) {
  const named = Object.entries(files).map(([name, text]) => ({ name, bytes: toBytes(text) }));
  const { settings, diagnostics } = loadSettings(named, context);
  return { path: settings.state.beside, codes: diagnostics.map(({ code }) => code) };
}

describe("settings alone", () => {
  test.each([
    ["the block", { a: block }, "/folder/mine.json", []],
    ["no block", { a: "locals: {}\n" }, "/folder/state/default.json", []],
    ["no file", {}, "/folder/state/default.json", []],
    ["errors elsewhere in the file", { a: `${block}widgets: 1\n` }, "/folder/mine.json", []],
    ["a broken file beside the block", { a: block, b: "x: [" }, "/folder/mine.json", []],
    ["a broken file that cannot hold it", { a: "x: [" }, "/folder/state/default.json", []],
    ["a key given twice elsewhere", { a: `${block}x: 1\nx: 2\n` }, "/folder/mine.json", []],
    [
      "a key given twice in it",
      { a: "vmform: { state: {}, state: {} }" },
      undefined,
      ["CFG004", "CFG020"],
    ],
    ["the block given twice", { a: block, b: block }, undefined, ["CFG004"]],
    ["the block misspelt", { a: "vmfrom: {}" }, undefined, ["CFG010"]],
    ["a broken file that may hold it", { a: `${block}x: [` }, undefined, ["CFG002"]],
    ["a home folder", { a: at("~/mine.json") }, "/homes/somebody/mine.json", []],
    ["a home folder itself", { a: at('"~"') }, "/homes/somebody", []],
    ["a name that begins like one", { a: at("./~mine.json") }, "/folder/~mine.json", []],
    ["~ in the middle", { a: at("a/~/b.json") }, "/folder/a/~/b.json", []],
    ["the home folder of another", { a: at("~ann/mine.json") }, undefined, ["CFG020"]],
    ["a mistake in the block", { a: "vmform: { stat: 1 }\n" }, undefined, ["CFG013"]],
    ["another version", { a: 'vmform: { required_version: ">9" }\n' }, undefined, ["CFG039"]],
  ])("%s", (_what, files, path, codes) => {
    const loaded = load(files);
    expect(loaded.codes).toEqual(codes);
    if (path !== undefined) expect(loaded.path).toBe(path);
  });
});
