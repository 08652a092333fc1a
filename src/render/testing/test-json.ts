/** A report of tests as data, as `schemas/documents.schema.json` describes it. */

import type {
  TestFailure,
  TestFileReport,
  TestPart,
  TestReport,
  TestRunReport,
} from "../../model/said/test-report.ts";
import { isKnown, type ValueMap } from "../../model/value/value.ts";
import { diagnosticJson } from "../run/event-json.ts";

export function testReportJson({ files, counts }: TestReport): ValueMap {
  return {
    passed: files.every(({ status }) => status !== "failed"),
    counts: { ...counts },
    files: files.map(fileJson),
  };
}

function fileJson({ file, status, failures, runs, elapsedMs }: TestFileReport): ValueMap {
  return {
    file,
    status,
    failures: failures.map(failureJson),
    runs: runs.map(runJson),
    elapsed_ms: Math.round(elapsedMs),
  };
}

function runJson(run: TestRunReport): ValueMap {
  const { name, command, line, status, failures, problems, assertions, requests } = run;
  return {
    ...{ name, command, line, status, assertions, requests },
    failures: failures.map(failureJson),
    problems: problems.map(diagnosticJson),
    elapsed_ms: Math.round(run.elapsedMs),
  };
}

function failureJson({ diagnostic, parts }: TestFailure): ValueMap {
  return { diagnostic: diagnosticJson(diagnostic), parts: parts.map(partJson) };
}

/** Without a value: it is sensitive, or known only after apply. */
function partJson({ text, value, sensitive }: TestPart): ValueMap {
  const isTold = value !== undefined && isKnown(value);
  return { text, sensitive: sensitive === true, ...(isTold ? { value } : {}) };
}
