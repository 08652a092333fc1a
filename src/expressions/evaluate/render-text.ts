/** Templates in files: a text with `${…}`, whose names are members of a map. */

import { EvaluationError } from "@marcbachmann/cel-js";
import { indexText, placeAt } from "../../lib/text.ts";
import { textProblem } from "../syntax/bounds.ts";
import { compile, problemOf } from "../syntax/cel.ts";
import { type ExpressionProblem, movedBy } from "../syntax/problem.ts";
import { parseTemplate } from "../syntax/template.ts";
import { fromLive, LiveValueError } from "./live-value.ts";
import { scalarText, textMisfitOf } from "./value-kind.ts";

/** Mistakes that a template makes: they have their place in the template. */
const ofTemplates = new WeakSet<Error>();

/** What is unknown or sensitive in the values counts as touched where the text uses it. */
export function renderText(
  name: string,
  text: string,
  values: ReadonlyMap<string, unknown>,
): string {
  const { template, problems } = parseTemplate(text);
  const [first] = problems;
  if (template === undefined) throw failed(name, text, first ?? noProblem);
  let made = "";
  for (const part of template.parts) {
    if (part.kind === "text") {
      made += part.text;
      continue;
    }
    const { source, offset } = part;
    made += partText(name, text, { source, offset }, values);
    const tooLong = textProblem(made.length);
    if (tooLong !== undefined) throw failed(name, text, { ...tooLong, offset });
  }
  return made;
}

const noProblem: ExpressionProblem = { message: "The template cannot be read.", offset: 0 };

type Part = { readonly source: string; readonly offset: number };

function partText(
  name: string,
  text: string,
  { source, offset }: Part,
  values: ReadonlyMap<string, unknown>,
): string {
  const compiled = compile(source);
  if (compiled.kind === "problem") throw failed(name, text, movedBy(compiled.problem, offset));
  try {
    const { value, kind } = fromLive(compiled.run(values));
    const misfit = textMisfitOf(kind, source);
    if (misfit !== undefined) throw failed(name, text, { ...misfit, offset });
    return scalarText(value);
  } catch (error) {
    if (error instanceof Error && ofTemplates.has(error)) throw error;
    if (error instanceof LiveValueError) {
      throw failed(name, text, { message: error.message, offset });
    }
    if (!(error instanceof EvaluationError)) throw error;
    throw failed(name, text, movedBy(problemOf(error, source), offset));
  }
}

function failed(name: string, text: string, problem: ExpressionProblem): EvaluationError {
  const { line, column } = placeAt(indexText(text), problem.offset);
  const way = problem.fix === undefined ? "" : ` ${problem.fix}`;
  const message = `${name}:${line}:${column}: ${problem.message}${way}`;
  const error = new EvaluationError({ code: "invalid_argument", message });
  ofTemplates.add(error);
  return error;
}
