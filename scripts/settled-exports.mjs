/**
 * What a chunk exports, given as it is when the chunk has run, in the place of a getter for each:
 * those are slow to define, and slow to ask. What is assigned anywhere but where it is declared
 * keeps its getter, so that whoever asks sees what it is by then. A plugin of the bundler.
 */

import { parseSync, Visitor } from "oxc-parser";

export function settledExports() {
  return {
    name: "settled-exports",
    renderChunk(code, { fileName }) {
      const { program, errors } = parseSync(fileName, code, { sourceType: "script" });
      if (errors.length > 0) throw new Error(`${fileName} cannot be read: ${errors[0].message}`);
      const assigned = assignedNames(program);
      const last = lastOfItself(program);
      let written = "";
      let read = 0;
      for (const { start, end, name, local } of getters(program)) {
        if (start < last || assigned.has(local)) continue;
        // As many lines as before: what follows stands where the source map says.
        const lines = code.slice(start, end).replaceAll(/[^\n]/g, "");
        written += `${code.slice(read, start)}exports[${JSON.stringify(name)}] = ${local}${lines}`;
        read = end;
      }
      return { code: written + code.slice(read), map: null };
    },
  };
}

/** Where its work ends: a value that is exported sooner may not be there yet. */
function lastOfItself(program) {
  const exported = new Set(getters(program).map(({ start }) => start));
  const own = program.body.filter((statement) => {
    if (statement.type !== "ExpressionStatement") return statement.type !== "FunctionDeclaration";
    const { type, left } = statement.expression;
    const isPlain = type === "AssignmentExpression" && left.object?.name === "exports";
    return !isPlain && !exported.has(statement.expression.start);
  });
  return own.at(-1)?.end ?? 0;
}

/** Of the chunk itself: `Object.defineProperty(exports, name, { enumerable, get })`. */
function getters({ body }) {
  return body.flatMap((statement) => {
    const call = statement.type === "ExpressionStatement" ? statement.expression : undefined;
    if (call?.type !== "CallExpression" || call.callee.type !== "MemberExpression") return [];
    const { object, property } = call.callee;
    if (object.name !== "Object" || property.name !== "defineProperty") return [];
    const [target, name, definition] = call.arguments;
    if (target.name !== "exports" || definition.type !== "ObjectExpression") return [];
    const get = definition.properties.find(({ key }) => key.name === "get")?.value;
    const returned = get?.body?.body?.length === 1 ? get.body.body[0].argument : undefined;
    if (returned?.type !== "Identifier") return [];
    return [{ start: call.start, end: call.end, name: name.value, local: returned.name }];
  });
}

/**
 * Whatever scope they are of: a name that is found once too often costs a getter. What `eval`
 * assigns is not found; the bundler warns of each.
 */
function assignedNames(program) {
  /** @type {Set<string>} */
  const names = new Set();
  const add = (/** @type {any} */ target) => {
    if (target.type === "Identifier") names.add(target.name);
    for (const part of target.elements ?? target.properties ?? []) {
      if (part !== null) add(part.type === "Property" ? part.value : (part.argument ?? part));
    }
    if (target.type === "AssignmentPattern") add(target.left);
  };
  new Visitor({
    AssignmentExpression: ({ left }) => add(left),
    UpdateExpression: ({ argument }) => add(argument),
    ForInStatement: ({ left }) => add(left),
    ForOfStatement: ({ left }) => add(left),
  }).visit(program);
  return names;
}
