/** `vmform graph` on the command line. */

import { type Command, Option } from "commander";
import { planCommand } from "../../commands/plan/plan.ts";
import { knownConfiguration } from "../../commands/reading.ts";
import { type Diagnostic, hasErrors } from "../../model/said/diagnostic.ts";
import {
  type Drawing,
  drawingJson,
  operationDrawing,
  resourceDrawing,
} from "../../render/drawing/drawing.ts";
import { dotText, mermaidText } from "../../render/drawing/drawing-text.ts";
import { action, type Done } from "../action.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import {
  addAllow,
  addCommon,
  addDebug,
  addSelection,
  addVariables,
  type PlanningOptions,
  selectionOf,
  workspaceOptions,
} from "../options.ts";
import type { Run, Shell } from "../run.ts";
import { modeOf } from "./plan.ts";

type GraphFlags = PlanningOptions & {
  readonly type?: "resources" | "operations";
  readonly format?: "dot" | "mermaid";
  readonly destroy?: boolean;
};

export function addGraph(program: Command, shell: Shell, done: Done): void {
  const command = program
    .command("graph")
    .description("draw what depends on what, as text for Graphviz or Mermaid");
  addSelection(addDebug(addAllow(addVariables(addCommon(command)))))
    .addOption(
      new Option("--type <graph>", "resources of the configuration, or operations of a plan")
        .choices(["resources", "operations"])
        .default("resources"),
    )
    .addOption(
      new Option("--format <format>", "form of the drawing")
        .choices(["dot", "mermaid"])
        .default("dot"),
    )
    .option("--destroy", "operations that destroy everything recorded")
    .action(action<GraphFlags>(shell, done, runGraph));
}

async function runGraph(run: Run, flags: GraphFlags): Promise<ExitCode> {
  const { view } = run;
  view.eventsAside();
  const { drawing, diagnostics } =
    flags.type === "operations" ? await operations(run, flags) : await resources(run, flags);
  if (!view.json) view.diagnostics(diagnostics);
  view.text(flags.format === "mermaid" ? mermaidText(drawing) : dotText(drawing));
  view.document(drawingJson(drawing));
  return hasErrors(diagnostics) ? exitCodes.error : exitCodes.ok;
}

type Drawn = { readonly drawing: Drawing; readonly diagnostics: readonly Diagnostic[] };

async function resources({ environment }: Run, flags: GraphFlags): Promise<Drawn> {
  const { value, diagnostics } = await knownConfiguration(environment, workspaceOptions(flags));
  return { drawing: resourceDrawing(value), diagnostics };
}

/** Of a plan with errors, what could be planned. */
async function operations({ environment }: Run, flags: GraphFlags): Promise<Drawn> {
  const { plan } = await planCommand(environment, {
    ...workspaceOptions(flags),
    mode: modeOf(flags),
    select: selectionOf(flags),
    settle: false,
    outputs: [],
    allowed: flags.allow ?? [],
  });
  return { drawing: operationDrawing(plan), diagnostics: plan.diagnostics };
}
