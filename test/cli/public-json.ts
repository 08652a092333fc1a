/** What commands print with `--json`, held against the schemas that are published for it. */

import { readFileSync } from "node:fs";
import { Ajv, type ValidateFunction } from "ajv";
import type { Outcome } from "./transcript.ts";

const ajv = new Ajv({ strict: true, allErrors: true, allowUnionTypes: true });
for (const name of ["documents", "events", "drift-report", "plan-json", "rehearsal"]) {
  const url = new URL(`../../schemas/${name}.schema.json`, import.meta.url);
  ajv.addSchema(JSON.parse(readFileSync(url, "utf8")) as object, name);
}

const document = (name: string): string => `documents#/definitions/${name}`;

/** The first whose pattern a command line meets; what others print has no schema. */
const schemas: readonly (readonly [command: RegExp, schema: string])[] = [
  [/^(plan|apply|destroy|action)\b/, "events"],
  [/^rehearse\b/, "rehearsal"],
  [/^drift\b/, "drift-report"],
  [/^test\b/, document("test")],
  [/^show .*--explain\b/, document("explanation")],
  [/^show [^-]/, "plan-json"],
  [/^show\b/, document("state")],
  [/^version\b/, document("version")],
  [/^validate\b/, document("validation")],
  [/^state list\b/, document("state_list")],
  [/^state show\b/, document("state_show")],
  [/^state rm\b/, document("state_rm")],
  [/^state mv\b/, document("state_mv")],
  [/^state resolve\b/, document("state_resolve")],
  [/^state push\b/, document("state_push")],
  [/^state mirror\b/, document("state_mirror")],
  [/^(submit|approve|cancel|runs)\b.* --watch\b/, "events"],
  [/^submit\b/, document("submitted")],
  [/^approve\b/, document("approved")],
  [/^decline\b/, document("declined")],
  [/^cancel\b/, document("cancelled")],
  [/^schedule drift\b/, document("schedule")],
  [/^schedule list\b/, document("schedules")],
  [/^schedule delete\b/, document("schedule_deleted")],
  [/^agent\b/, "events"],
  [/^worker\b/, "events"],
  [/^runs .*--submitted\b/, document("submissions")],
  [/^runs show\b/, document("run")],
  [/^runs\b/, document("runs")],
  [/^blame\b/, document("blame")],
  [/^state migrate\b/, document("state_migrate")],
  [/^force-unlock\b/, document("force_unlock")],
  [/^import .*--all\b/, document("import_all")],
  [/^import\b/, document("import")],
  [/^doctor\b/, document("doctor")],
  [/^ticket\b/, document("ticket")],
  [/^graph\b/, document("graph")],
  [/^(eval|console)\b/, document("eval")],
  [/^fmt\b/, document("fmt")],
  [/^init\b/, document("init")],
  [/^adopt\b/, document("adopt")],
  [/^explain [A-Z]{3}\d/i, document("explain_code")],
  [/^explain \S+\./, document("explain_attribute")],
  [/^explain\b/, document("explain_schema")],
  [/^output +-/, document("outputs")],
];

/** Of commands that are a stream with --watch, what goes wrong is told as one. */
const orMessages: ReadonlySet<string> = new Set(
  ["submitted", "approved", "cancelled"].map(document),
);

/** Problems of every line that one command printed, none where it has no schema. */
export function publicJsonProblems({ command, stdout }: Outcome): readonly string[] {
  const words = command.replace(/^vmform +/, "").replace(/ +-?-json\b/, " --json");
  const schema = schemas.find(([pattern]) => pattern.test(words))?.[1];
  if (schema === undefined) return [];
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line) => problemsOf(line, schema));
}

function problemsOf(line: string, schema: string): readonly string[] {
  const value: unknown = JSON.parse(line);
  if (checkOf(document("failure"))(value)) return [];
  const isMessage = typeof value === "object" && value !== null && "@level" in value;
  const check = checkOf(isMessage && orMessages.has(schema) ? "events" : schema);
  if (check(value)) return [];
  return (check.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${schema}: ${instancePath} ${message} ${JSON.stringify(params)} in ${line.slice(0, 300)}`,
  );
}

function checkOf(schema: string): ValidateFunction {
  const check = ajv.getSchema(schema);
  if (check === undefined) throw new Error(`there is no schema ${schema}`);
  return check;
}
