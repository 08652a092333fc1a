/** Names of module calls and their outputs: `module.lab.address`, `module.lab["a"].address`. */

import { closestName } from "../../lib/text.ts";
import type { ValueReference } from "../evaluate/references.ts";
import type { CallTypes } from "./expression-types.ts";
import type { Described } from "./names.ts";

/** Undefined where the reference names what there is, or cannot be judged before values are. */
export function callProblem(
  { name, steps = [] }: ValueReference,
  calls: { readonly [name: string]: CallTypes },
): Described | undefined {
  if (name === undefined) return undefined;
  const call = Object.hasOwn(calls, name) ? calls[name] : undefined;
  if (call === undefined) return missingCall(name, Object.keys(calls));
  const [first, second] = steps;
  if (first === undefined) return undefined;
  const written = `module.${name}`;
  if (call.instancing === "single") {
    if (first.number === undefined && first.source === undefined) {
      return outputProblem(written, first.text, call);
    }
    const message = `${written} is one module, without for_each and count.`;
    return { message, fix: `Write ${written}.${exampleOf(call)}.` };
  }
  if (first.form === "field") {
    const message = `${written} has several instances; name one of them.`;
    const isOutput = first.text !== undefined && call.outputs.has(first.text);
    const key = call.instancing === "list" ? "[0]" : '["key"]';
    const named = isOutput ? `${key}.${first.text}` : `["${first.text ?? "key"}"]`;
    return { message, fix: `Write ${written}${named}.` };
  }
  if (call.instancing === "map" && first.number !== undefined) {
    const message = `The instances of ${written} have texts as keys.`;
    return { message, fix: `Write ${written}["${first.number}"].` };
  }
  if (call.instancing === "list" && first.text !== undefined) {
    return {
      message: `The instances of ${written} are numbered.`,
      fix: `Write ${written}[0].`,
    };
  }
  return outputProblem(`${written}[…]`, second?.text, call);
}

function missingCall(name: string, known: readonly string[]): Described {
  const message = `There is no module.${name}.`;
  const closest = closestName(name, known);
  if (closest !== undefined) return { message, fix: `Did you mean module.${closest}?` };
  return { message, fix: `Declare ${name} in the block modules.` };
}

function outputProblem(
  written: string,
  output: string | undefined,
  { outputs }: CallTypes,
): Described | undefined {
  if (output === undefined || outputs.has(output)) return undefined;
  const message = `${written} has no output ${output}.`;
  const closest = closestName(output, outputs);
  if (closest !== undefined) return { message, fix: `Did you mean ${written}.${closest}?` };
  const names = [...outputs].join(", ");
  return { message, fix: names === "" ? "The module has no outputs." : `It has ${names}.` };
}

function exampleOf({ outputs }: CallTypes): string {
  const [first = "output"] = outputs;
  return first;
}
