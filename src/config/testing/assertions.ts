/** Assertions of a run: their conditions, checked before anything is run. */

import { checkDeclared } from "../../expressions/check/declared.ts";
import type { YamlNode } from "../../lib/yaml/yaml.ts";
import { testAssertionShape } from "../read/form/test-schema.ts";
import { readMembers } from "../read/read.ts";
import { placeInText } from "../read/value.ts";
import { createReport, type Report, type SourceFile } from "../report.ts";
import { rootsAfter, type TestCommand } from "./test-roots.ts";
import type { TestAssertion } from "./tests.ts";

/** The list was read already as part of its run: only what conditions mean is told here. */
export function assertionsIn(
  node: YamlNode | undefined,
  command: TestCommand,
  file: SourceFile,
  report: Report,
): readonly TestAssertion[] {
  if (node?.kind !== "list") return [];
  const told = createReport();
  return node.items.flatMap((item): readonly TestAssertion[] => {
    if (item.kind !== "map") return [];
    const members = readMembers(item, testAssertionShape, { file, report: told, owner: "" });
    const condition = members.get("condition");
    const message = members.get("message");
    if (condition === undefined) return [];
    const said = message?.kind === "constant" ? message.value : undefined;
    const common = { message: typeof said === "string" ? said : undefined };
    if (condition.kind !== "template") {
      const constant = condition.kind === "constant" && condition.value === true;
      if (condition.kind !== "constant" || typeof condition.value !== "boolean") {
        const detail = "A condition is one expression that gives true or false.";
        const fix = "Write it as ${plan.changes.size() == 0}.";
        report.add("CFG112", { detail, fix, place: condition.place });
      }
      return [{ ...common, template: undefined, constant, place: condition.place }];
    }
    const { template, place } = condition;
    for (const problem of checkDeclared(template, rootsAfter[command])) {
      const at = placeInText(place, template.text, problem.offset, problem.end);
      report.add("CFG112", { detail: problem.message, fix: problem.fix, place: at });
    }
    return [{ ...common, template, constant: false, place }];
  });
}
