/** The result of `validate` as data, after Terraform's. */

import type { Diagnostic } from "../../model/said/diagnostic.ts";
import type { ValueMap } from "../../model/value/value.ts";
import { diagnosticJson } from "../run/event-json.ts";

export function validationJson(valid: boolean, diagnostics: readonly Diagnostic[]): ValueMap {
  const count = (severity: Diagnostic["severity"]): number =>
    diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
  return {
    valid,
    error_count: count("error"),
    warning_count: count("warning"),
    diagnostics: diagnostics.map(diagnosticJson),
  };
}
