/**
 * What functions may see beyond their values while one expression is evaluated. Evaluation is
 * synchronous, so what is current needs no more than to be put back.
 */

import { failure } from "./function-entry.ts";

/** What stands at a path that an expression names. */
export type FileContent =
  | { readonly kind: "read"; readonly bytes: Uint8Array }
  | { readonly kind: "absent" }
  /** `why` is a part of a sentence: "it is a folder". */
  | { readonly kind: "unreadable"; readonly why: string };

/** Gives the same answer for the same path as long as a configuration is used. */
export type FileReader = (path: string) => FileContent;

export type FunctionContext = {
  /** Marks of the evaluation: what was touched. */
  readonly marks: { sensitive: boolean; readonly unknown: boolean };
  /** Absent where no files can be read. */
  readonly files: FileReader | undefined;
  /** The time of the plan, RFC 3339; absent where there is no plan. */
  readonly time: string | undefined;
  /** A text with `${…}` in it, whose names are the members of a map. `name` is for messages. */
  readonly render: (name: string, text: string, values: ReadonlyMap<string, unknown>) => string;
};

let current: FunctionContext | undefined;
let templateDepth = 0;

export function inContext<T>(inner: FunctionContext, work: () => T): T {
  const before = current;
  current = inner;
  try {
    return work();
  } finally {
    current = before;
  }
}

export function functionContext(): FunctionContext {
  if (current === undefined) throw failure("this function cannot be used here");
  return current;
}

/** A template may use another one, not itself without end. */
const templateDepthMax = 10;

/** A template has what it is handed: it reads no files, and knows no time. */
export function renderTemplate(
  name: string,
  text: string,
  values: ReadonlyMap<string, unknown>,
): string {
  if (templateDepth >= templateDepthMax) {
    throw failure(`templates stand in each other more than ${templateDepthMax} levels deep`);
  }
  templateDepth += 1;
  try {
    const outer = functionContext();
    const inner = { ...outer, files: undefined, time: undefined };
    return inContext(inner, () => outer.render(name, text, values));
  } finally {
    templateDepth -= 1;
  }
}
