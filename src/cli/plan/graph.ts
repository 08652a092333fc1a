/** `vmform graph` on the command line. */

import type { Command } from "commander";
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
  type FlagsOf,
  selectionOf,
  workspaceOptions,
} from "../options.ts";
import type { Run, Shell } from "../run.ts";
import { modeOf } from "./plan.ts";

type GraphFlags = FlagsOf<typeof declareGraph>;

export function addGraph(program: Command, shell: Shell, done: Done): void {
  declareGraph(program).action(action(shell, done, runGraph));
}

function declareGraph(program: Command) {
  const command = program
    .command("graph")
    .description("draw what depends on what, as text for Graphviz or Mermaid");
  return addSelection(addDebug(addAllow(addVariables(addCommon(command)))))
    .addOption(
      command
        .createOption("--type <graph>", "resources of the configuration, or operations of a plan")
        .choices(["resources", "operations"])
        .default("resources"),
    )
    .addOption(
      command
        .createOption("--format <format>", "form of the drawing")
        .choices(["dot", "mermaid"])
        .default("dot"),
    )
    .option("--destroy", "operations that destroy everything recorded");
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
