/** Finds every import of a source file in its syntax tree: static, dynamic, type and re-export. */

import { parseSync, Visitor } from "oxc-parser";

export type FoundImport = {
  /** `required` is any form outside ES modules; none is allowed. */
  readonly kind: "import" | "type" | "dynamic" | "re-export" | "required";
  /** What is imported, or undefined when the source computes it. */
  readonly specifier: string | undefined;
  readonly line: number;
};

export type FoundImports = {
  readonly imports: readonly FoundImport[];
  /** Lines that export a name which the file itself imported. */
  readonly passedOn: readonly number[];
};

type Literal = { readonly type: string; readonly value?: unknown };

/** All imports of one file. Throws when the file does not parse: nothing is then known of it. */
export function findImports(path: string, text: string): FoundImports {
  const parsed = parseSync(path, text, { sourceType: "module" });
  const [problem] = parsed.errors;
  if (problem !== undefined) throw new Error(`${path} does not parse: ${problem.message}`);
  const imports: FoundImport[] = [];
  const imported = new Set<string>();
  const exported: { name: string; line: number }[] = [];
  const add = (kind: FoundImport["kind"], specifier: string | undefined, start: number): void => {
    imports.push({ kind, specifier, line: lineAt(text, start) });
  };
  new Visitor({
    ImportDeclaration(node) {
      add(node.importKind === "type" ? "type" : "import", node.source.value, node.start);
      for (const specifier of node.specifiers) imported.add(specifier.local.name);
    },
    ExportAllDeclaration(node) {
      add("re-export", node.source.value, node.start);
    },
    ExportNamedDeclaration(node) {
      if (node.source !== null) add("re-export", node.source.value, node.start);
      for (const { local } of node.source === null ? node.specifiers : []) {
        if ("name" in local) exported.push({ name: local.name, line: lineAt(text, node.start) });
      }
    },
    ExportDefaultDeclaration({ declaration, start }) {
      if (declaration.type !== "Identifier") return;
      exported.push({ name: declaration.name, line: lineAt(text, start) });
    },
    ImportExpression(node) {
      add("dynamic", textOf(node.source), node.start);
    },
    TSImportType(node) {
      add("type", textOf(node.source), node.start);
    },
    TSExternalModuleReference(node) {
      add("required", textOf(node.expression), node.start);
    },
    CallExpression(node) {
      if (node.callee.type !== "Identifier") return;
      if (node.callee.name !== "require" && node.callee.name !== "createRequire") return;
      const [first] = node.arguments;
      add("required", first === undefined ? undefined : textOf(first), node.start);
    },
  }).visit(parsed.program);
  for (const comment of parsed.comments) {
    const reference = /^\/\s*<reference\s+\w+\s*=\s*["']([^"']+)["']/.exec(comment.value);
    if (comment.type === "Line" && reference !== null) add("required", reference[1], comment.start);
  }
  imports.sort((left, right) => left.line - right.line);
  const passedOn = exported.filter(({ name }) => imported.has(name)).map(({ line }) => line);
  return { imports, passedOn };
}

/** Text of a string literal or of a template without parts. */
function textOf(node: Literal): string | undefined {
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type !== "TemplateLiteral") return undefined;
  const { quasis } = node as Literal & {
    readonly quasis: readonly { readonly value: { readonly cooked: string | null } }[];
  };
  return quasis.length === 1 ? (quasis[0]?.value.cooked ?? undefined) : undefined;
}

/** Line number, from 1, of an offset in UTF-16 units. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
