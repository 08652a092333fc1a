/** Drawings as text for tools that draw: DOT for Graphviz, Mermaid for Markdown. */

import { escapeControls } from "../text/safe-text.ts";
import type { Drawing, DrawingEdge, DrawingNode } from "./drawing.ts";

/** Without a newline at the end. Labels cannot break out of their quotes. */
export function dotText(drawing: Drawing): string {
  const lines = [
    `digraph ${drawing.name} {`,
    "  rankdir = LR;",
    '  node [shape = box, style = rounded, fontname = "sans-serif"];',
    ...byGroup(drawing).flatMap(({ group, nodes }, index) => {
      const own = nodes.map((node) => `  ${dotQuoted(node.id)} [${dotNode(node)}];`);
      if (group === undefined) return own;
      return [
        `  subgraph cluster_${index} {`,
        `    label = ${dotQuoted(group.label)};`,
        ...own.map((line) => `  ${line}`),
        "  }",
      ];
    }),
    ...drawing.edges.map(
      ({ from, to, kind }) => `  ${dotQuoted(from)} -> ${dotQuoted(to)}${dotEdges[kind]};`,
    ),
    "}",
  ];
  return lines.join("\n");
}

const dotEdges: { readonly [kind in DrawingEdge["kind"]]: string } = {
  needs: "",
  success: "",
  settled: ' [style = dashed, label = "settled"]',
  failure: ' [style = dotted, color = red, arrowhead = onormal, label = "failure"]',
};

function dotNode({ label, fallback }: DrawingNode): string {
  const text = `label = "${label.map(dotEscaped).join("\\n")}"`;
  return fallback === true ? `${text}, style = "rounded,dashed"` : text;
}

function dotQuoted(text: string): string {
  return `"${dotEscaped(text)}"`;
}

function dotEscaped(text: string): string {
  return escapeControls(text).replaceAll("\\", "\\\\").replaceAll('"', '\\"');
}

/** Without a newline at the end. */
export function mermaidText(drawing: Drawing): string {
  const names = new Map(drawing.nodes.map(({ id }, index) => [id, `n${index}`]));
  const nameOf = (id: string): string => names.get(id) ?? "";
  const lines = [
    "flowchart LR",
    ...byGroup(drawing).flatMap(({ group, nodes }, index) => {
      const own = nodes.map((node) => `  ${nameOf(node.id)}${mermaidNode(node)}`);
      if (group === undefined) return own;
      return [
        `  subgraph w${index}["${mermaidEscaped(group.label)}"]`,
        ...own.map((line) => `  ${line}`),
        "  end",
      ];
    }),
    ...drawing.edges.map(
      ({ from, to, kind }) => `  ${nameOf(from)} ${mermaidEdges[kind]} ${nameOf(to)}`,
    ),
  ];
  return lines.join("\n");
}

const mermaidEdges: { readonly [kind in DrawingEdge["kind"]]: string } = {
  needs: "-->",
  success: "-->",
  settled: "-. settled .->",
  failure: "-- failure --x",
};

/** A fallback has round ends. */
function mermaidNode({ label, fallback }: DrawingNode): string {
  const text = `"${label.map(mermaidEscaped).join("<br/>")}"`;
  return fallback === true ? `([${text}])` : `[${text}]`;
}

/** Everything that Mermaid, or the HTML it makes, could take for markup, as an entity. */
function mermaidEscaped(text: string): string {
  return escapeControls(text).replaceAll(
    /[#"&<>`\\]/g,
    (character) => `#${character.charCodeAt(0)};`,
  );
}

type GroupOfNodes = {
  readonly group: Drawing["groups"][number] | undefined;
  readonly nodes: readonly DrawingNode[];
};

/** Nodes without a group first, then group by group, each in the order of the drawing. */
function byGroup({ nodes, groups }: Drawing): readonly GroupOfNodes[] {
  const members = new Map<string | undefined, DrawingNode[]>();
  for (const node of nodes) {
    const own = members.get(node.group) ?? [];
    own.push(node);
    members.set(node.group, own);
  }
  return [undefined, ...groups].map((group) => ({ group, nodes: members.get(group?.id) ?? [] }));
}
