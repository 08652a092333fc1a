/** Tests as JUnit XML, which CI servers read: a suite for each file, a case for each run. */

import type { XmlElement } from "../../lib/xml/xml.ts";
import type {
  TestFailure,
  TestFileReport,
  TestReport,
  TestRunReport,
} from "../../model/said/test-report.ts";
import { diagnosticText } from "../text/diagnostic-text.ts";
import { junitElement as element, junitDocument } from "../text/junit-xml.ts";
import { partText } from "./test-text.ts";

export function junitText({ files, counts }: TestReport): string {
  const suites = files.map(suiteOf);
  const { passed, failed, skipped } = counts;
  const unread = files.filter(({ runs, status }) => status === "failed" && runs.length === 0);
  const tests = passed + failed + skipped + unread.length;
  const elapsedMs = files.reduce((sum, file) => sum + file.elapsedMs, 0);
  const root = element(
    "testsuites",
    {
      ...{ name: "vmform test", tests, failures: failed, errors: unread.length, skipped },
      time: secondsText(elapsedMs),
    },
    suites,
  );
  return junitDocument(root);
}

function suiteOf({ file, runs, failures, elapsedMs }: TestFileReport): XmlElement {
  const of = (status: TestRunReport["status"]): number =>
    runs.filter((run) => run.status === status).length;
  const whole = failures.length === 0 ? [] : [brokenFile(file, failures)];
  return element(
    "testsuite",
    {
      ...{ name: file, tests: runs.length + whole.length, failures: of("failed") },
      ...{ errors: whole.length, skipped: of("skipped"), time: secondsText(elapsedMs) },
    },
    [...whole, ...runs.map((run) => caseOf(file, run))],
  );
}

function brokenFile(file: string, failures: readonly TestFailure[]): XmlElement {
  const error = failureOf("error", failures);
  return element("testcase", { name: "the file", classname: file, time: "0.000" }, [error]);
}

function caseOf(file: string, run: TestRunReport): XmlElement {
  const { name, status, failures, elapsedMs, line } = run;
  const children =
    status === "skipped"
      ? [element("skipped", {}, [])]
      : failures.length === 0
        ? []
        : [failureOf("failure", failures)];
  const time = secondsText(elapsedMs);
  return element("testcase", { name, classname: file, file, line, time }, children);
}

function failureOf(name: "failure" | "error", failures: readonly TestFailure[]): XmlElement {
  const [first] = failures;
  const message = first === undefined ? "" : first.diagnostic.detail;
  const type = first?.diagnostic.code ?? "";
  const text = failures
    .map(({ diagnostic, parts }) =>
      [
        diagnosticText(diagnostic, { color: false }),
        ...parts.map((part) => `  ${partText(part)}`),
      ].join("\n"),
    )
    .join("\n\n");
  return element(name, { message, type }, [text]);
}

function secondsText(ms: number): string {
  return (ms / 1000).toFixed(3);
}
