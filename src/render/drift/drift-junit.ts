/**
 * A drift report as JUnit XML: a suite for each type, a case for each object. What has drifted, is
 * missing or stands otherwise has failed; what could not be checked is an error; what is ignored,
 * or not checked by rule, is skipped.
 */

import type { XmlElement } from "../../lib/xml/xml.ts";
import type { DriftReport, ObjectDrift } from "../../model/plan/drift-report.ts";
import { diagnosticText } from "../text/diagnostic-text.ts";
import { junitDocument, junitElement } from "../text/junit-xml.ts";
import { escapeControls } from "../text/safe-text.ts";
import { keyText } from "../text/value/value-text.ts";
import { type DriftFinding, driftFindings, driftRules } from "./drift-findings.ts";

type Case = { readonly kind: "passed" | "failure" | "error" | "skipped"; readonly xml: XmlElement };

/** Ends with a newline. */
export function driftJunit(report: DriftReport): string {
  const findings = new Map<string, DriftFinding[]>();
  for (const finding of driftFindings(report)) {
    if (finding.rule === "unmanaged") continue;
    findings.set(finding.subject, [...(findings.get(finding.subject) ?? []), finding]);
  }
  const suites = new Map<string, Case[]>();
  for (const object of report.objects) {
    const cases = suites.get(object.type) ?? [];
    suites.set(object.type, cases);
    cases.push(caseOf(object, findings.get(object.address) ?? []));
  }
  const whole = wholeReport(report);
  if (whole.length > 0) suites.set("vmform drift", [...whole]);
  const time = new Date(report.createdMs).toISOString().slice(0, 19);
  const all = [...suites.values()].flat();
  return junitDocument(
    junitElement(
      "testsuites",
      { name: "vmform drift", ...countsOf(all) },
      [...suites].map(([name, cases]) =>
        junitElement(
          "testsuite",
          { name, ...countsOf(cases), timestamp: time },
          cases.map(({ xml }) => xml),
        ),
      ),
    ),
  );
}

/** What is wrong with the report as a whole. */
function wholeReport({ configuration, counts, diagnostics }: DriftReport): readonly Case[] {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const broken =
    configuration.status === "unreadable"
      ? [wholeCase("configuration", "it cannot be read", "vmform validate shows what is wrong")]
      : [];
  const open =
    counts.open === 0
      ? []
      : [wholeCase("operations", `${counts.open} open`, "vmform apply closes them")];
  const told = errors.map((item) =>
    wholeCase(item.code, item.summary, diagnosticText(item, { color: false })),
  );
  return [...broken, ...open, ...told];
}

function wholeCase(name: string, message: string, text: string): Case {
  const error = junitElement("error", { message, type: name }, [text]);
  const attributes = { name, classname: "vmform drift", time: "0.000" };
  return { kind: "error", xml: junitElement("testcase", attributes, [error]) };
}

function caseOf(object: ObjectDrift, findings: readonly DriftFinding[]): Case {
  const { address, objectKey, type, identity, place } = object;
  const attributes = {
    name: objectKey === "current" ? address : `${address} (${objectKey})`,
    classname: type,
    ...(place === undefined ? {} : place),
    time: "0.000",
  };
  const kind = kindOf(object);
  const children =
    kind === "passed" ? [] : [outcome(kind, object, objectKey === "current" ? findings : [])];
  const told = junitElement("system-out", {}, [`identity: ${escapeControls(identity)}`]);
  return { kind, xml: junitElement("testcase", attributes, [...children, told]) };
}

function kindOf({ verdict }: ObjectDrift): Case["kind"] {
  switch (verdict) {
    case "in_sync":
      return "passed";
    case "drifted":
    case "missing":
    case "differs":
      return "failure";
    case "unknown":
      return "error";
    case "ignored":
    case "not_checked":
      return "skipped";
  }
}

function outcome(
  kind: "failure" | "error" | "skipped",
  object: ObjectDrift,
  findings: readonly DriftFinding[],
): XmlElement {
  const { reason = "", verdict, drifted, standing, suggestions } = object;
  if (kind === "skipped") {
    const told = verdict === "ignored" ? findings.map(({ message }) => message).join("\n") : reason;
    return junitElement("skipped", { message: escapeControls(told) }, []);
  }
  const [first] = findings;
  const names = [...drifted, ...standing].map(({ attribute }) => keyText(attribute));
  const message = names.length > 1 ? `${names.join(", ")} differ` : (first?.message ?? reason);
  const lines = [
    ...findings.map((finding) => finding.message),
    ...suggestions.map(({ purpose, command }) => `To ${purpose}: ${command}`),
  ];
  const type = first === undefined ? object.verdict : driftRules[first.rule].id;
  return junitElement(kind, { message, type }, [lines.join("\n")]);
}

function countsOf(cases: readonly Case[]): { readonly [name: string]: number } {
  const of = (kind: Case["kind"]): number => cases.filter((item) => item.kind === kind).length;
  return {
    tests: cases.length,
    failures: of("failure"),
    errors: of("error"),
    skipped: of("skipped"),
  };
}
