/**
 * Which module has which command. A module is loaded when its command is asked for; all of them,
 * in the order in which help lists them, where the command is not known.
 */

import type { Command } from "commander";
import type { Done } from "./action.ts";
import type { Shell } from "./run.ts";

/** Adds commands to the program. */
export type AddCommands = (program: Command, shell: Shell, done: Done) => void;

type CommandModule = {
  readonly commands: readonly string[];
  readonly load: () => Promise<AddCommands>;
};

const modules: readonly CommandModule[] = [
  { commands: ["init"], load: async () => (await import("./configuration/init.ts")).addInit },
  {
    commands: ["validate"],
    load: async () => (await import("./configuration/validate.ts")).addValidate,
  },
  { commands: ["plan"], load: async () => (await import("./plan/planning.ts")).addPlan },
  { commands: ["apply"], load: async () => (await import("./plan/planning.ts")).addApply },
  { commands: ["destroy"], load: async () => (await import("./plan/planning.ts")).addDestroy },
  {
    commands: ["rehearse"],
    load: async () => (await import("./plan/rehearse.ts")).addRehearse,
  },
  { commands: ["test"], load: async () => (await import("./testing/test.ts")).addTest },
  {
    commands: ["drift", "show", "output"],
    load: async () => (await import("./state/inspecting.ts")).addInspecting,
  },
  { commands: ["version"], load: async () => (await import("./version.ts")).addVersion },
  {
    commands: ["state", "force-unlock"],
    load: async () => (await import("./state/state-command.ts")).addState,
  },
  {
    commands: ["workspace"],
    load: async () => (await import("./state/workspace-command.ts")).addWorkspace,
  },
  {
    commands: ["runs", "blame"],
    load: async () => (await import("./history/history.ts")).addHistory,
  },
  {
    commands: ["submit", "approve", "decline", "cancel", "schedule", "worker"],
    load: async () => (await import("./fleet/fleet-command.ts")).addFleet,
  },
  {
    commands: ["inventory"],
    load: async () => (await import("./state/inventory.ts")).addInventory,
  },
  { commands: ["adopt"], load: async () => (await import("./adopt/adopt.ts")).addAdopt },
  { commands: ["import"], load: async () => (await import("./state/import.ts")).addImport },
  {
    commands: ["action"],
    load: async () => (await import("./server/action-command.ts")).addAction,
  },
  { commands: ["ticket"], load: async () => (await import("./server/ticket.ts")).addTicket },
  { commands: ["graph"], load: async () => (await import("./plan/graph.ts")).addGraph },
  {
    commands: ["schema", "fmt"],
    load: async () => (await import("./configuration/language.ts")).addLanguage,
  },
  {
    commands: ["eval", "console"],
    load: async () => (await import("./configuration/evaluation.ts")).addEvaluation,
  },
  {
    commands: ["explain"],
    load: async () => (await import("./configuration/explain.ts")).addExplain,
  },
  { commands: ["lsp"], load: async () => (await import("./configuration/lsp.ts")).addLsp },
  { commands: ["doctor"], load: async () => (await import("./server/doctor.ts")).addDoctor },
  { commands: ["agent"], load: async () => (await import("./server/agent.ts")).addAgent },
  { commands: ["simulate"], load: async () => (await import("./server/simulate.ts")).addSimulate },
  { commands: ["serve"], load: async () => (await import("./serve/serve-command.ts")).addServe },
  // It completes what stands before it.
  {
    commands: ["completion", "complete"],
    load: async () => (await import("./completion.ts")).addCompletion,
  },
  // It tells of what stands before it.
  { commands: ["man"], load: async () => (await import("./man.ts")).addMan },
];

/** What adds the command; for a word that is none, what adds all of them. */
export function loadCommands(word: string | undefined): Promise<readonly AddCommands[]> {
  const isOfAll = ["completion", "complete", "man"].includes(word ?? "");
  const found = isOfAll ? [] : modules.filter(({ commands }) => commands.includes(word ?? ""));
  return Promise.all((found.length === 0 ? modules : found).map(({ load }) => load()));
}
