import { describe, expect, it } from "vitest";
import { checkTemplate } from "../../../../src/expressions/check/check.ts";
import type { ExpressionTypes } from "../../../../src/expressions/check/expression-types.ts";
import type { AttributeType } from "../../../../src/model/value/resource-schema.ts";
import { moduleTypes, template, types } from "../scope-fixture.ts";

const plain: ExpressionTypes = { module: moduleTypes };
const early: ExpressionTypes = { module: moduleTypes, only: ["vars", "locals", "path"] };
const self: ExpressionTypes = { module: moduleTypes, self: "daemon_vm" };

type Accepted = {
  readonly text: string;
  readonly as?: AttributeType;
  readonly in?: ExpressionTypes;
};

const accepted: readonly Accepted[] = [
  { text: "plain", as: "string" },
  { text: "", as: "integer" },
  { text: "${vars.team}", as: "string" },
  { text: "${vars.count}", as: "string" },
  { text: "${vars.count}", as: "integer" },
  { text: "${vars.count}", as: "number" },
  { text: "${vars.ratio}", as: "number" },
  { text: "${vars.on}", as: "boolean" },
  { text: "${vars.sizes}", as: "list" },
  { text: "${vars.ports}", as: "map" },
  { text: "${vars.anything}", as: "integer" },
  { text: "${locals.prefix}", as: "boolean" },
  { text: "${null}", as: "integer" },
  { text: "a${vars.team}${vars.count}${vars.ratio}${vars.on}", as: "string" },
  { text: '${vars.on ? "a" : null}', as: "string" },
  { text: "${vars.on ? null : 1}", as: "integer" },
  { text: "${vars.on ? 1 : 2.5}", as: "number" },
  { text: "${vars.unset == null}", as: "boolean" },
  { text: "${vars.count == null || null != vars.sizes}" },
  { text: "${1 + 2.5 * vars.count}", as: "number" },
  { text: "${vars.count == 1.0}", as: "boolean" },
  { text: '${[1, "a", null, 2.5]}', as: "list" },
  { text: "${each.key + string(each.value)}", as: "string" },
  { text: "${count.index + 1}", as: "integer" },
  { text: "${path.module}/${path.root}", as: "string" },
  { text: "${self.tag}", as: "string", in: self },
  { text: "${daemon_vm.a.id}", as: "string" },
  { text: "${daemon_vm.a.cpus * 2}", as: "integer" },
  { text: "${daemon_vm.a.load}", as: "number" },
  { text: "${daemon_vm.a.name == null}", as: "boolean" },
  { text: "${daemon_vm.a == null}", as: "boolean" },
  { text: "${daemon_vm.a}", as: "map" },
  { text: '${daemon_vm.web["x"].id}', as: "string" },
  { text: "${daemon_vm.web[each.key].id}", as: "string" },
  { text: "${daemon_vm.web}", as: "map" },
  { text: '${daemon_vm.web.map(k, daemon_vm.web[k].id).join(",")}', as: "string" },
  { text: "${daemon_vm.row[0].id}", as: "string" },
  { text: "${daemon_vm.row}", as: "list" },
  { text: "${size(daemon_vm.web) + daemon_vm.row.size()}", as: "integer" },
  { text: "${daemon_vm.row.map(r, r.id)}", as: "list" },
  { text: "${daemon_vm.row.exists(r, r.cpus > 1)}", as: "boolean" },
  { text: '${"x" in daemon_vm.web}', as: "boolean" },
  { text: "${daemon_vm.a.labels.owner}", as: "string" },
  { text: '${vars.ports.?ssh.orValue("22")}' },
  { text: "${vars.ports.keys()}", as: "list" },
  { text: "${vars.team}", as: "string", in: early },
  { text: "${data.daemon_vms.all.ids}", as: "list" },
  { text: "${data.daemon_vms.all.vm_count + 1}", as: "integer" },
  { text: '${data.daemon_vms.tagged["x"].ids.join(",")}', as: "string" },
  { text: "${data.daemon_vms.tagged.map(k, data.daemon_vms.tagged[k].vm_count)}", as: "list" },
  { text: "${data.daemon_vms.all == null}", as: "boolean" },
];

type Refused = {
  readonly text: string;
  readonly as?: AttributeType;
  readonly in?: ExpressionTypes;
  readonly message: RegExp;
  readonly fix?: RegExp;
  readonly offset: number;
};

const names: readonly Refused[] = [
  { text: "${vars.taem}", message: /no vars\.taem/, fix: /vars\.team/, offset: 2 },
  { text: "${vars.zzzzzz}", message: /no vars\.zzzzzz/, fix: /Declare zzzzzz/, offset: 2 },
  { text: "${locals.prefx}", message: /no locals\.prefx/, fix: /locals\.prefix/, offset: 2 },
  { text: "${local.prefix}", message: /"local"/, fix: /mean locals\?/, offset: 2 },
  { text: "${path.modul}", message: /no path\.modul/, fix: /path\.module/, offset: 2 },
  { text: "${each.id}", message: /no each\.id/, fix: /each\.key, each\.value/, offset: 2 },
  { text: "${each.key}", in: plain, message: /for_each/, offset: 2 },
  { text: "${count.index}", in: plain, message: /count/, offset: 2 },
  { text: "${self.id}", message: /self/, offset: 2 },
  { text: "${self.idd}", in: self, message: /no attribute idd/, fix: /mean id\?/, offset: 2 },
  { text: "${data}", message: /data is not a value/, fix: /data\.type\.name/, offset: 2 },
  { text: "${size(data[vars.team])}", message: /data is not a value/, offset: 7 },
  {
    text: "${data.daemon_vm.all.ids}",
    message: /no type of data sources "daemon_vm"/,
    fix: /data\.daemon_vms/,
    offset: 2,
  },
  { text: "${data.cloud_query.vms}", message: /no type of data sources/, offset: 2 },
  {
    text: "${data.daemon_vms}",
    message: /a data source type, not a value/,
    fix: /data\.daemon_vms\.all/,
    offset: 2,
  },
  {
    text: "${data.daemon_vms.taged.ids}",
    message: /data source data\.daemon_vms\.taged is not declared/,
    fix: /data\.daemon_vms\.tagged/,
    offset: 2,
  },
  {
    text: "${data.daemon_vms.all.vm_cuont}",
    message: /data\.daemon_vms has no attribute vm_cuont/,
    fix: /mean vm_count/,
    offset: 2,
  },
  { text: "${data.daemon_vms.tagged.ids}", message: /several instances/, offset: 2 },
  { text: '${data.daemon_vms.all["x"].ids}', message: /one data source/, offset: 2 },
  { text: "${data.daemon_vms.all.ids}", in: early, message: /not known here/, offset: 2 },
  // A type of data sources is no root of its own, and a resource type is none.
  { text: "${daemon_vms.all.ids}", message: /"daemon_vms"/, fix: /daemon_vm\?/, offset: 2 },
  { text: "${module.lab.adress}", message: /no output adress/, fix: /lab\.address\?/, offset: 2 },
  { text: "${module.lib.address}", message: /no module\.lib/, fix: /module\.lab\?/, offset: 2 },
  { text: "${module.lab[0].address}", message: /one module/, fix: /lab\.address/, offset: 2 },
  { text: "${module.site.address}", message: /several/, fix: /site\["key"\]\.address/, offset: 2 },
  { text: '${module.site["a"].name}', message: /no output name/, fix: /has address/, offset: 2 },
  { text: "${module.site[0].address}", message: /texts as keys/, fix: /\["0"\]/, offset: 2 },
  { text: '${module.row["a"].address}', message: /numbered/, fix: /row\[0\]/, offset: 2 },
  { text: "${daemon_vn.a.id}", message: /"daemon_vn"/, fix: /daemon_vm/, offset: 2 },
  { text: "${nothing}", message: /"nothing"/, offset: 2 },
  {
    text: "a ${1} ${daemon_vm.frehs.id}",
    message: /daemon_vm\.frehs is not declared/,
    fix: /daemon_vm\.fresh/,
    offset: 9,
  },
  {
    text: "${daemon_vm.a.ip_adress}",
    message: /no attribute ip_adress/,
    fix: /ip_address/,
    offset: 2,
  },
  { text: '${daemon_vm.web["x"].idd}', message: /no attribute idd/, fix: /mean id\?/, offset: 2 },
  { text: "${daemon_vm.row.map(r, r.idd)}", message: /idd/, fix: /mean id\?/, offset: 25 },
  { text: '${daemon_vm.a["x"].id}', message: /one resource/, fix: /daemon_vm\.a\.id/, offset: 2 },
  { text: "${daemon_vm.a[each.key].id}", message: /one resource/, offset: 2 },
  {
    text: "${daemon_vm.web.id}",
    message: /several instances/,
    fix: /daemon_vm\.web\["key"\]\.id/,
    offset: 2,
  },
  {
    text: "${daemon_vm.row.id}",
    message: /several instances/,
    fix: /daemon_vm\.row\[0\]\.id/,
    offset: 2,
  },
  { text: "${daemon_vm.web[0].id}", message: /texts as keys/, offset: 2 },
  { text: '${daemon_vm.row["a"].id}', message: /numbered/, offset: 2 },
  { text: "${size(daemon_vm)}", message: /resource type/, fix: /daemon_vm\.a/, offset: 7 },
  { text: "${daemon_vm[vars.team].id}", message: /resource type/, offset: 2 },
  {
    text: "${daemon_vm.a.id}",
    in: early,
    message: /not known here/,
    fix: /vars, locals, path/,
    offset: 2,
  },
  { text: "${each.key}", in: early, message: /each cannot be used here/, offset: 2 },
];

const mismatches: readonly Refused[] = [
  { text: "${data.daemon_vms.all.ids}", as: "string", message: /a text.*a list/, offset: 2 },
  { text: "x${data.daemon_vms.all.ids}", message: /list/, offset: 3 },
  {
    text: "${vars.on}",
    as: "string",
    message: /a text.*a boolean/,
    fix: /string\(vars\.on\)/,
    offset: 2,
  },
  { text: "${vars.ratio}", as: "string", message: /a text.*a number/, fix: /string\(/, offset: 2 },
  {
    text: "${vars.team}",
    as: "integer",
    message: /an integer.*a text/,
    fix: /int\(vars\.team\)/,
    offset: 2,
  },
  { text: "${vars.ratio}", as: "integer", message: /an integer.*a number/, offset: 2 },
  { text: "${vars.team}", as: "boolean", message: /a boolean.*a text/, offset: 2 },
  { text: "${daemon_vm.a.shared}", as: "string", message: /a text.*a boolean/, offset: 2 },
  { text: "${daemon_vm.a}", as: "string", message: /a text.*a map/, offset: 2 },
  { text: "${daemon_vm.row}", as: "string", message: /a text.*a list/, offset: 2 },
  { text: "${vars.on ? 1 : null}", as: "list", message: /a list.*an integer/, offset: 12 },
  { text: "${vars.on ? 1 : 2.5}", as: "integer", message: /an integer.*a number/, offset: 16 },
  {
    text: "x${vars.count}",
    as: "integer",
    message: /an integer.*a text/,
    fix: /one \$\{…\}/,
    offset: 0,
  },
  { text: "x${vars.sizes}", message: /list/, fix: /join/, offset: 3 },
  { text: "x${null}", message: /null/, offset: 3 },
  { text: '${duration("1h")}', message: /hold/, offset: 2 },
  { text: "${vars.?team}", message: /hold/, fix: /orValue/, offset: 2 },
  {
    text: "${vars.team + 1}",
    message: /\+ does not take a text and an integer/,
    fix: /string/,
    offset: 2,
  },
  { text: '${vars.count == "3"}', message: /== does not take an integer and a text/, offset: 2 },
  { text: "${-vars.team}", message: /operator - does not take/, offset: 2 },
  { text: '${vars.on ? 1 : "a"}', message: /branches/, offset: 2 },
  { text: "${vars.count ? 1 : 2}", message: /bool/, offset: 7 },
  { text: "${lenght(vars.team)}", message: /no function lenght/, offset: 2 },
  { text: "${vars.team.uppr()}", message: /no function uppr/, fix: /upper\(\)/, offset: 2 },
];

describe("checkTemplate", () => {
  it.each(accepted)("accepts $text as $as", ({ text, as = "any", in: place = types }) => {
    expect(checkTemplate(template(text), place, as)).toEqual([]);
  });

  const refused = { names, mismatches };
  describe.each(Object.entries(refused))("refuses %s", (_topic, cases) => {
    it.each(cases)("$text as $as", ({ text, as = "any", in: place = types, ...expected }) => {
      const problems = checkTemplate(template(text), place, as);
      expect(problems).toHaveLength(1);
      expect(problems[0]?.message).toMatch(expected.message);
      expect(problems[0]?.offset).toBe(expected.offset);
      if (expected.fix !== undefined) expect(problems[0]?.fix).toMatch(expected.fix);
    });
  });

  it.each([
    ["vars.site.nmae", "vars.site has no member nmae.", "Did you mean vars.site.name?"],
    ['vars.site["nmae"]', "vars.site has no member nmae.", "Did you mean vars.site.name?"],
    [
      "vars.site.zone",
      "vars.site has no member zone.",
      "By its type it has name, free, hosts, nothing.",
    ],
    [
      "vars.site[0]",
      "vars.site is an object, and has no element 0.",
      "By its type it has name, free, hosts, nothing.",
    ],
    [
      "vars.site.hosts[0].adress",
      "vars.site.hosts[…] has no member adress.",
      "Did you mean vars.site.hosts[…].address?",
    ],
    [
      "vars.site.hosts[int(vars.count)].adress",
      "vars.site.hosts[…] has no member adress.",
      "Did you mean vars.site.hosts[…].address?",
    ],
    [
      "vars.site.hosts.a.adress",
      "vars.site.hosts.a has no member adress.",
      "Did you mean vars.site.hosts.a.address?",
    ],
    ["has(vars.site.nmae)", "vars.site has no member nmae.", "Did you mean vars.site.name?"],
    ["vars.site.nothing.x", "vars.site.nothing has no member x.", "By its type it has none."],
  ])("knows what the type of a variable has: %s", (source, message, fix) => {
    expect(checkTemplate(template(`\${${source}}`), types, "any")).toMatchObject([
      { message, fix },
    ]);
  });

  it.each([
    "vars.site.name",
    "vars.site.free.whatever.there[0].is",
    'vars.site["hosts"][0].address',
    "vars.site[vars.team]",
    "vars.site.hosts.map(host, host.address)",
    "vars.anything.nope.nope",
    "vars.ports.nope",
    "vars.sizes[0].nope",
  ])("does not judge what no type says: %s", (source) => {
    expect(checkTemplate(template(`\${${source}}`), types, "any")).toEqual([]);
  });

  it("gives all problems of names", () => {
    const problems = checkTemplate(template("${vars.x + vars.y}${locals.z}"), types, "string");
    expect(problems.map((problem) => problem.offset)).toEqual([2, 11, 20]);
  });

  it("gives the same answer a second time", () => {
    const text = "${daemon_vm.row.map(r, r.cpus > 1 ? r.id : null)}";
    expect(checkTemplate(template(text), types, "list")).toEqual([]);
    expect(checkTemplate(template(text), types, "list")).toEqual([]);
    expect(checkTemplate(template(text), types, "string")).toHaveLength(1);
  });

  it("keeps modules apart", () => {
    const other: ExpressionTypes = { module: { ...moduleTypes, vars: { team: "integer" } } };
    expect(checkTemplate(template("${vars.team}"), types, "integer")).toHaveLength(1);
    expect(checkTemplate(template("${vars.team}"), other, "integer")).toEqual([]);
  });
});
