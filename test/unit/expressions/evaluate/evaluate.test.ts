import { describe, expect, it } from "vitest";
import { evaluateTemplate } from "../../../../src/expressions/evaluate/evaluate.ts";
import type { AttributeType } from "../../../../src/model/value/resource-schema.ts";
import { isUnknown, type PlannedValue, unknown } from "../../../../src/model/value/value.ts";
import { scope, template, vmA } from "../scope-fixture.ts";

type Case = {
  readonly text: string;
  readonly value: PlannedValue;
  readonly as?: AttributeType;
  readonly sensitive?: true;
  readonly double?: true;
};

const texts: readonly Case[] = [
  { text: "plain", value: "plain" },
  { text: "$${vars.team}", value: "${vars.team}" },
  { text: "${vars.team}-${each.key}", value: "web-x" },
  { text: "n${vars.count}", value: "n3" },
  { text: "n${vars.big}", value: "n9007199254740993" },
  { text: "n${vars.big + 1}", value: "n9007199254740994" },
  { text: "n${locals.half}", value: "n0.5" },
  { text: "n${0.1 + 0.2}", value: "n0.30000000000000004" },
  { text: "n${vars.ratio}", value: "n2" },
  { text: "n${vars.on}", value: "ntrue" },
  { text: "${vars.team}${locals.waiting}", value: unknown },
  { text: "${path.module}/x", value: "/conf/x" },
  { text: "x-${vars.token}", value: "x-t0ken", sensitive: true },
  { text: "${locals.waiting}${vars.token}", value: unknown, sensitive: true },
  { text: "${vars.token}${locals.waiting}", value: unknown, sensitive: true },
];

const wholes: readonly Case[] = [
  { text: "${vars.team}", value: "web" },
  { text: "${vars.count}", value: 3 },
  { text: "${vars.count}", value: 3, as: "integer" },
  { text: "${vars.count}", value: "3", as: "string" },
  { text: "${vars.count}", value: 3, as: "number", double: true },
  { text: "${vars.big}", value: 9_007_199_254_740_993n, as: "integer" },
  { text: "${vars.big}", value: "9007199254740993", as: "string" },
  { text: "${vars.big - vars.big + 1}", value: 1 },
  { text: "${vars.ratio}", value: 2, double: true },
  { text: "${vars.on}", value: true, as: "boolean" },
  { text: "${vars.unset}", value: null, as: "string" },
  { text: "${vars.unset}", value: null, as: "integer" },
  { text: "${null}", value: null },
  { text: "${vars.sizes}", value: [1, 2, 3], as: "list" },
  { text: "${vars.ports}", value: { http: 80, https: 443 }, as: "map" },
  { text: "${locals.mixed}", value: [1, "two", null, true] },
  { text: '${[1, "two", null, 2.5]}', value: [1, "two", null, 2.5] },
  { text: '${{"a": 1, "b": [true]}}', value: { a: 1, b: [true] } },
  { text: "${[]}", value: [], as: "list" },
  { text: "${{}}", value: {}, as: "map" },
  { text: '${locals["odd key"]}', value: "odd" },
  { text: "${count.index}", value: 1 },
  { text: "${self.tag == null}", value: true },
  { text: "${1u + 2u}", value: 3 },
  { text: "${optional.none()}", value: null },
  { text: "${vars.?nope.orValue(7)}", value: 7 },
  { text: '${vars.ports[?"http"].orValue(1)}', value: 80 },
  { text: "${has(vars.ports.http) && !has(vars.ports.ssh)}", value: true },
];

const numbers: readonly Case[] = [
  { text: "${7 / 2}", value: 3 },
  { text: "${7 / 2.0}", value: 3.5, double: true },
  { text: "${1 + 2.5}", value: 3.5, double: true },
  { text: "${2.5 - 1}", value: 1.5, double: true },
  { text: "${2 * 1.5}", value: 3, double: true },
  // Typing never depends on a value: the declared number 2 divides as a number.
  { text: "${vars.ratio / 4}", value: 0.5, double: true },
  { text: "${vars.count / 2}", value: 1 },
  { text: "${daemon_vm.a.load / 2}", value: 1.5, double: true },
  { text: "${daemon_vm.a.cpus / 4}", value: 0 },
  { text: "${vars.count + vars.ratio}", value: 5, double: true },
  { text: "${1 == 1.0}", value: true },
  { text: "${vars.count != 3.0}", value: false },
  { text: "${3.0 == vars.count}", value: true },
  { text: "${vars.count > 2.5}", value: true },
  { text: "${vars.ratio <= 2}", value: true },
  { text: "${2 in [1, 2]}", value: true },
  { text: "${vars.big == 9007199254740992.0}", value: false },
  { text: "${-vars.count}", value: -3 },
  { text: "${int(7.9)}", value: 7, as: "integer" },
];

const conditions: readonly Case[] = [
  { text: '${vars.on ? "a" : null}', value: "a", as: "string" },
  { text: '${vars.on ? null : "a"}', value: null, as: "string" },
  { text: "${vars.on ? null : null}", value: null },
  { text: "${vars.on ? 1 : 2.5}", value: 1 },
  { text: "${!vars.on ? 1 : 2.5}", value: 2.5, double: true },
  { text: '${vars.on ? (vars.count > 5 ? "many" : null) : "off"}', value: null },
  { text: '${[1, 2].map(n, n > 1 ? "big" : null)}', value: [null, "big"] },
  { text: "${vars.unset == null}", value: true },
  { text: "${null != vars.unset}", value: false },
  { text: "${vars.team == null}", value: false },
  { text: '${"a" == null}', value: false },
  { text: "${vars.sizes == null || vars.ports == null}", value: false },
  { text: "${daemon_vm.a.name == null}", value: true },
  { text: "${daemon_vm.a == null}", value: false },
  { text: '${vars.unset == "x"}', value: false },
  { text: '${vars.ports == {"http": 80, "https": 443}}', value: true },
  { text: "${vars.sizes == [1, 2, 3]}", value: true },
  { text: '${"two" in locals.mixed}', value: true },
  { text: '${"http" in vars.ports}', value: true },
];

const unknowns: readonly Case[] = [
  { text: "${locals.waiting}", value: unknown },
  { text: "${daemon_vm.a.ip_address}", value: unknown },
  { text: "${daemon_vm.fresh.id}", value: unknown },
  { text: "${daemon_vm.fresh}", value: unknown, sensitive: true },
  { text: '${locals.waiting == "x"}', value: unknown },
  { text: '${"x" != locals.waiting}', value: unknown },
  { text: "${locals.waiting == null}", value: unknown },
  { text: "${locals.waiting == locals.waiting}", value: unknown },
  { text: "${false && locals.waiting}", value: false },
  { text: "${locals.waiting && false}", value: false },
  { text: "${locals.waiting && true}", value: unknown },
  { text: "${true || locals.waiting}", value: true },
  { text: "${locals.waiting || true}", value: true },
  { text: "${locals.waiting || false}", value: unknown },
  { text: '${true ? "a" : locals.waiting}', value: "a" },
  { text: '${false ? "a" : locals.waiting}', value: unknown },
  { text: '${locals.waiting ? "a" : "b"}', value: unknown },
  { text: '${["a", "h1"].exists(h, h in locals.hosts)}', value: true },
  { text: '${locals.hosts.exists(h, h == "h1")}', value: true },
  { text: '${locals.hosts.exists(h, h == "h2")}', value: unknown },
  { text: '${locals.hosts.all(h, h == "h2")}', value: false },
  { text: '${locals.hosts.all(h, h == "h1")}', value: unknown },
  { text: '${locals.hosts.join(",")}', value: unknown },
  { text: "${size(locals.hosts)}", value: 2 },
  { text: "${locals.hosts.size() + 1}", value: 3 },
  { text: "${locals.hosts[0]}", value: "h1" },
  { text: "${locals.hosts[1]}", value: unknown },
  { text: '${"h1" in locals.hosts}', value: true },
  { text: "${size(locals.partial)}", value: 2 },
  { text: "${size(locals.late) + locals.late.size()}", value: 4 },
  { text: "${size(locals.lateMap) + locals.lateMap.size()}", value: 4 },
  { text: '${"known" in locals.lateMap}', value: true },
  { text: "${locals.lateMap.keys()}", value: ["waiting", "known"] },
  { text: '${"h2" in locals.late}', value: unknown },
  { text: "${locals.partial.known}", value: "k" },
  { text: "${locals.partial.keys()}", value: ["known", "waiting"] },
  // References keep unknown leaves where they are; other expressions do not look inside.
  { text: "${locals.partial}", value: { known: "k", waiting: unknown } },
  { text: "${locals.hosts}", value: ["h1", unknown] },
  { text: "${true ? locals.hosts : []}", value: ["h1", unknown] },
  { text: "${[locals.partial]}", value: [{ known: "k", waiting: unknown }] },
  { text: "${daemon_vm.a.disks}", value: [10, unknown, 30] },
  { text: "${daemon_vm.a.labels.owner}", value: "ops" },
  { text: "${daemon_vm.a.labels.address}", value: unknown },
  { text: "${daemon_vm.a.disks.map(d, d * 2)}", value: unknown },
  // A mistake after an unknown value was passed over may yet be decided by it.
  { text: "${locals.waiting || vars.nope.x}", value: unknown },
  { text: "${locals.waiting && 1 / 0 == 1}", value: unknown },
];

const resources: readonly Case[] = [
  { text: "${data.daemon_vms.all.ids}", value: ["a", "b"], as: "list" },
  { text: "${data.daemon_vms.all.tags == null}", value: true },
  { text: '${data.daemon_vms.tagged["y"].ids[0]}', value: "vm-y" },
  { text: "${size(data.daemon_vms.tagged)}", value: 2 },
  { text: "${data.daemon_vms.late.ids}", value: unknown, as: "list" },
  { text: "${vars.on || size(data.daemon_vms.late.ids) > 0}", value: true },
  { text: "${daemon_vm.a.id}", value: "a" },
  { text: "${daemon_vm.a.name}", value: null },
  { text: "${daemon_vm.a.cpus}", value: "2", as: "string" },
  { text: "${daemon_vm.a}", value: vmA, sensitive: true },
  { text: '${daemon_vm.web["x"].ip_address}', value: "10.0.0.1" },
  { text: "${daemon_vm.web.x.ip_address}", value: "10.0.0.1" },
  { text: "${daemon_vm.web[each.key].id}", value: "web-x" },
  { text: '${daemon_vm.web["y"].ip_address}', value: unknown },
  { text: "${daemon_vm.row[1].id}", value: "row-1" },
  { text: "${daemon_vm.row[count.index - 1].id}", value: "row-0" },
  { text: "${daemon_vm.row[2].id}", value: unknown },
  { text: "${size(daemon_vm.row)}", value: 3 },
  { text: "${size(daemon_vm.web)}", value: 2 },
  { text: "${size(daemon_vm.none) + daemon_vm.zero.size()}", value: 0 },
  { text: '${"x" in daemon_vm.web && !("z" in daemon_vm.web)}', value: true },
  { text: "${daemon_vm.web.map(k, daemon_vm.web[k].id)}", value: ["web-x", "web-y"] },
  // Which attributes a macro reads is not known before it runs: the type has a sensitive one.
  {
    text: "${daemon_vm.web.map(k, daemon_vm.web[k].ip_address)}",
    value: unknown,
    sensitive: true,
  },
  { text: "${daemon_vm.row.filter(r, true).size()}", value: 3 },
  { text: "${daemon_vm.row.map(r, r.cpus)[0]}", value: unknown, sensitive: true },
  {
    text: '${daemon_vm.web.filter(k, k == "x").map(k, daemon_vm.web[k])}',
    value: [{ id: "web-x", ip_address: "10.0.0.1" }],
    sensitive: true,
  },
];

const sensitives: readonly Case[] = [
  { text: "${vars.token}", value: "t0ken", sensitive: true },
  { text: '${vars.token == "x"}', value: false, sensitive: true },
  { text: "${size(vars.token)}", value: 5, sensitive: true },
  { text: '${false && vars.token == "x"}', value: false },
  { text: "${vars.on ? vars.team : vars.token}", value: "web" },
  { text: "${vars.on ? vars.token : vars.team}", value: "t0ken", sensitive: true },
  { text: "${vars.nested.plain}", value: "p" },
  { text: "${vars.nested.secret}", value: "hidden", sensitive: true },
  { text: "${vars.nested}", value: { plain: "p", secret: "hidden" }, sensitive: true },
  { text: "${size(vars.nested)}", value: 2 },
  { text: '${"plain" in vars.nested}', value: true },
  { text: '${[vars.token, "x"][1]}', value: "x", sensitive: true },
  { text: "${daemon_vm.a.password}", value: "s3cret", sensitive: true },
  { text: "${daemon_vm.fresh.password}", value: unknown, sensitive: true },
  { text: "${locals.waiting + vars.token}", value: unknown, sensitive: true },
  { text: "${locals.waiting + vars.nested.secret}", value: unknown, sensitive: true },
  { text: "${locals.waiting + vars.team}", value: unknown },
];

const functions: readonly Case[] = [
  { text: "${vars.team.upper()}", value: "WEB" },
  { text: '${"ÀB".lower()}', value: "àb" },
  { text: '${"a.b.c".replace(".", "$&")}', value: "a$&b$&c" },
  { text: '${string(count.index).padStart(3, "0")}', value: "001" },
  { text: '${["b", "a", "B"].sort()}', value: ["B", "a", "b"] },
  { text: "${[10, 9.5, 2].sort()}", value: [2, 9.5, 10] },
  { text: '${["a", "b", "a"].distinct()}', value: ["a", "b"] },
  { text: '${[1, 1.0, "1", true, null, null].distinct()}', value: [1, "1", true, null] },
  { text: "${[[1], [2, 3], 4].flatten()}", value: [1, 2, 3, 4] },
  { text: "${[vars.sizes, vars.sizes].flatten()}", value: [1, 2, 3, 1, 2, 3] },
  { text: "${range(3)}", value: [0, 1, 2] },
  { text: "${min(vars.sizes) + max([4, 7])}", value: 8 },
  { text: "${vars.ports.keys()}", value: ["http", "https"] },
  { text: "${vars.ports.values()}", value: [80, 443] },
  { text: '${{"k": 1}.keys()}', value: ["k"] },
  { text: '${merge(vars.ports, {"http": 8080})}', value: { http: 8080, https: 443 } },
  { text: '${vars.sizes.map(n, string(n)).join("-")}', value: "1-2-3" },
  { text: '${"a,b".split(",")}', value: ["a", "b"] },
  { text: "${cel.bind(x, vars.count, x * x)}", value: 9 },
  { text: "${vars.sizes + [4]}", value: [1, 2, 3, 4] },
];

type Mistake = {
  readonly text: string;
  readonly message: RegExp;
  readonly fix?: RegExp;
  readonly offset: number;
  readonly as?: AttributeType;
};

const mistakes: readonly Mistake[] = [
  {
    text: "${vars.on}",
    as: "string",
    message: /text.*boolean/,
    fix: /string\(vars\.on\)/,
    offset: 2,
  },
  { text: "${locals.half}", as: "string", message: /text.*number/, fix: /string\(/, offset: 2 },
  { text: "${vars.ratio}", as: "integer", message: /integer.*number/, fix: /int\(/, offset: 2 },
  { text: "${vars.team}", as: "integer", message: /integer.*text/, fix: /int\(/, offset: 2 },
  { text: "${vars.team}", as: "number", message: /number.*text/, fix: /double\(/, offset: 2 },
  { text: "${vars.count}", as: "boolean", message: /boolean.*integer/, offset: 2 },
  { text: "${vars.team}", as: "list", message: /list.*text/, fix: /\[vars\.team\]/, offset: 2 },
  { text: "${vars.sizes}", as: "map", message: /map.*list/, offset: 2 },
  { text: "${vars.sizes}", as: "string", message: /text.*list/, fix: /join/, offset: 2 },
  {
    text: "1${vars.count}",
    as: "integer",
    message: /integer.*text/,
    fix: /one \$\{…\}/,
    offset: 0,
  },
  { text: "a${vars.unset}", message: /not set/, fix: /== null/, offset: 3 },
  { text: "a${vars.sizes}", message: /list/, fix: /join/, offset: 3 },
  { text: "a${vars.ports}", message: /map/, offset: 3 },
  { text: "${vars.nope}", message: /nope/, offset: 7 },
  { text: "${vars.sizes[3]}", message: /out of bounds/, offset: 2 },
  { text: '${vars.ports["ssh"]}', message: /ssh/, offset: 2 },
  { text: "${daemon_vm.nope.id}", message: /daemon_vm\.nope/, offset: 2 },
  { text: '${daemon_vm.web["z"].id}', message: /z/, offset: 2 },
  { text: "${daemon_vm.a.nope}", message: /nope/, offset: 14 },
  { text: "${vars.team + 1}", message: /\+ does not take a text and an integer/, offset: 2 },
  { text: '${vars.unset + "x"}', message: /null/, fix: /not set/, offset: 2 },
  { text: "${1 / 0}", message: /zero/, offset: 2 },
  { text: "${0.0 / 0.0}", message: /finite/, offset: 2 },
  { text: "${9223372036854775807 + 1}", message: /overflow/, offset: 2 },
  { text: '${vars.on ? 1 : "a"}', message: /branches/, offset: 2 },
  { text: "${vars.team ? 1 : 2}", message: /bool/, offset: 7 },
  { text: '${duration("1h")}', message: /hold/, offset: 2 },
  { text: "${type(1)}", message: /hold/, offset: 2 },
  { text: "${daemon_vm}", message: /not a value/, offset: 2 },
  { text: "${range(1000000)}", message: /range/, offset: 2 },
  { text: "${min([])}", message: /at least one/, offset: 2 },
  { text: '${[1, "a"].sort()}', message: /texts or a list of numbers/, offset: 2 },
  { text: "${vars.team.uper()}", message: /no function uper/, fix: /upper\(\)/, offset: 2 },
  { text: "${vars.team.padStart(1)}", message: /padStart/, offset: 2 },
];

describe.each([
  { topic: "texts", cases: texts },
  { topic: "whole expressions", cases: wholes },
  { topic: "numbers", cases: numbers },
  { topic: "conditions", cases: conditions },
  { topic: "unknown values", cases: unknowns },
  { topic: "resources", cases: resources },
  { topic: "sensitive values", cases: sensitives },
  { topic: "functions", cases: functions },
])("evaluateTemplate: $topic", ({ cases }) => {
  it.each(cases)("$text as $as", ({ text, value, as = "any", sensitive, double }) => {
    expect(evaluateTemplate(template(text), scope, as)).toEqual({
      value,
      sensitive: sensitive === true,
      double: double === true,
      problems: [],
    });
  });
});

describe("evaluateTemplate: mistakes", () => {
  it.each(mistakes)("$text as $as", ({ text, message, fix, offset, as = "any" }) => {
    const { value, problems } = evaluateTemplate(template(text), scope, as);
    expect(isUnknown(value)).toBe(true);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toMatch(message);
    expect(problems[0]?.offset).toBe(offset);
    if (fix !== undefined) expect(problems[0]?.fix).toMatch(fix);
  });

  it("gives the problems of all expressions of a text", () => {
    const { problems } = evaluateTemplate(
      template("${vars.a}${locals.waiting}${vars.b}"),
      scope,
      "any",
    );
    expect(problems.map((problem) => problem.offset)).toEqual([7, 33]);
  });
});

describe("evaluateTemplate: messages about sensitive values", () => {
  it.each([
    "${bool(vars.token)}",
    "${int(vars.token)}",
    "${duration(vars.token)}",
    "${vars.ports[vars.token]}",
    "${daemon_vm[vars.token].id}",
    "${vars.team.matches(vars.token + '(')}",
    "x${vars.nested.secret == 'hidden' ? vars.ports[vars.nested.secret] : 1}",
  ])("%s does not quote them", (text) => {
    const { problems, sensitive } = evaluateTemplate(template(text), scope, "any");
    expect(sensitive).toBe(true);
    expect(problems).toHaveLength(1);
    expect(JSON.stringify(problems)).not.toMatch(/t0ken|hidden/);
  });

  it("still names the types", () => {
    const { problems } = evaluateTemplate(template("${vars.token + 1}"), scope, "any");
    expect(problems[0]?.message).toMatch(/a text and an integer/);
  });
});

describe("evaluateTemplate: the shape of its input", () => {
  it("reads frozen values", () => {
    const list = Object.freeze([1, Object.freeze({ a: Object.freeze([2.5]) })]);
    const frozen = { ...scope, values: Object.freeze({ vars: Object.freeze({ list }) }) };
    const { value } = evaluateTemplate(
      template("${vars.list[1].a[0] + vars.list[0]}"),
      frozen,
      "any",
    );
    expect(value).toBe(3.5);
  });

  it("keeps a member named __proto__ a member", () => {
    const map = JSON.parse('{"__proto__": 1, "a": 2}') as PlannedValue;
    const odd = { ...scope, values: { vars: { map } } };
    const { value } = evaluateTemplate(template("${merge(vars.map, {})}"), odd, "any");
    expect(JSON.stringify(value)).toBe('{"__proto__":1,"a":2}');
  });

  it("does not take inherited names for members", () => {
    const { problems } = evaluateTemplate(template("${vars.toString}"), scope, "any");
    expect(problems[0]?.message).toMatch(/toString/);
  });
});
