/** What every command run shares: the view, the environment, and how errors become exit codes. */

import {
  type CommandEnvironment,
  InterruptedError,
  type RunInterrupts,
} from "../commands/environment.ts";
import { isOfMirror } from "../commands/mirror.ts";
import { withPackages } from "../commands/provider-packages.ts";
import { diagnosticsOf } from "../commands/told.ts";
import type { MissingVariable } from "../config/missing-variables.ts";
import { isOutOfDescriptors } from "../lib/files/file-descriptors.ts";
import type { EventSink } from "../model/operation/event.ts";
import { stoppedText } from "../render/run/heartbeat-text.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import type { CommonOptions } from "./options.ts";
import { createCancelOffer } from "./terminal/ask/cancel-offer.ts";
import { askForVariable } from "./terminal/ask/variable-question.ts";
import { createInterrupts } from "./terminal/interrupts.ts";
import type { LiveView } from "./terminal/live-view.ts";
import { drawsLive } from "./terminal/progress.ts";
import { createPulse } from "./terminal/pulse.ts";
import { heartbeatMs, startBeating, watched } from "./terminal/pulse-wiring.ts";
import { type Terminal, usesColor } from "./terminal/terminal.ts";
import { createView, type View, type ViewOptions } from "./terminal/view.ts";

/** Makes the environment of one run; `main` knows how. */
export type EnvironmentFactory = (options: {
  readonly events: EventSink;
  readonly remark: CommandEnvironment["remark"];
  readonly debugHttp: string | undefined;
  readonly interrupts: RunInterrupts;
}) => Promise<CommandEnvironment>;

export type Shell = {
  readonly terminal: Terminal;
  readonly environment: EnvironmentFactory;
  readonly version: string;
  /** Follows a command by this name as a trace, where that is asked for. Absent: never. */
  readonly startTrace?: (command: string) => Promise<CommandTrace | undefined>;
  /** Hears what views hear. */
  readonly hear?: EventSink;
  /** Starts `vmform simulate`; resolves when it was stopped. */
  readonly simulate: (options: SimulateOptions, view: View) => Promise<void>;
  /** Serves `vmform agent`; resolves when it was stopped. */
  readonly agent: (options: AgentOptions, run: Run) => Promise<void>;
  /** Statements that let a role serve a site. */
  readonly agentSql: (definition: {
    readonly site: string;
    readonly schema: string;
    readonly role: string;
  }) => Promise<string>;
};

export type AgentOptions = {
  readonly site: string;
  /** URL of the database. Absent: as the environment says. */
  readonly database: string | undefined;
  readonly schema: string;
  readonly readOnly: boolean;
  /** Origins; none: any. */
  readonly endpoints: readonly string[];
  /** What files of secrets are relative to. */
  readonly directory: string;
  readonly debugHttp: string | undefined;
};

export type CommandTrace = {
  readonly hear: EventSink;
  /** Sends what is left, within seconds. Does not reject: what went wrong is said. */
  readonly end: (code: ExitCode) => Promise<void>;
};

export type SimulateOptions = {
  readonly world: string | undefined;
  readonly port: number;
  readonly cloudPort: number;
  readonly managerPort: number;
  readonly appliancePort: number;
  readonly persist: string | undefined;
  readonly faults: string | undefined;
  readonly log: string | undefined;
  readonly seed: number | undefined;
  /** Changes of the world that is kept, as YAML; with them nothing is served. */
  readonly changes: readonly string[];
};

export type Run = { readonly view: View; readonly environment: CommandEnvironment };

type Work = (run: Run) => Promise<ExitCode>;

/** Runs a command; errors a user can mend are shown and give 1, faults of ours give 3. */
export async function runCommand(
  shell: Shell,
  options: CommonOptions,
  form: ViewOptions["form"],
  work: Work,
): Promise<ExitCode> {
  try {
    return await runIn(shell, options, form, work);
  } catch (error) {
    // There was no environment yet, and so no view.
    if (!isOutOfDescriptors(error)) throw error;
    const { json = false, color } = options;
    const { terminal, version } = shell;
    const noColor = color === false;
    const now = (): number => Date.now();
    const view = createView(terminal, { json, form, noColor, version, types: {}, now });
    view.diagnostics(diagnosticsOf(error));
    return exitCodes.error;
  }
}

async function runIn(
  shell: Shell,
  options: CommonOptions,
  form: ViewOptions["form"],
  work: Work,
): Promise<ExitCode> {
  let hear: EventSink = () => {};
  const everyMs = heartbeatMs(shell.terminal.environment);
  const pulse = createPulse(() => process.uptime() * 1000, everyMs);
  const json = options.json === true || options.progress === "json";
  const live = await liveViewFor(shell.terminal, options);
  const terminal = watched(live?.terminal ?? shell.terminal, pulse);
  const giveUp = (): void => {
    hear = () => {};
  };
  const interrupts = createInterrupts(terminal, giveUp, () => {
    const overview = pulse.overview();
    if (overview !== undefined) view.say(`\n${stoppedText(pulse.running(), overview)}`);
  });
  const plain = await shell.environment({
    events: (event) => hear(event),
    remark: (diagnostics) => {
      if (form === "stream" || !view.json) view.diagnostics(diagnostics);
      else view.beside(diagnostics.filter(isOfMirror));
    },
    debugHttp: options.debugHttp,
    interrupts,
  });
  const environment = await withPackages(plain, options.chdir ?? ".");
  const shown = createView(terminal, {
    json,
    form,
    ...(options.input === undefined ? {} : { input: options.input }),
    noColor: options.color === false,
    version: shell.version,
    types: environment.types,
    now: () => environment.clock.now(),
  });
  const view = live === undefined ? shown : preparing(shown, live);
  const offer = createCancelOffer(terminal, view, interrupts, options.chdir);
  hear = (event) => {
    pulse.hear(event);
    shell.hear?.(event);
    if (live?.hear(event) !== true) view.event(event);
    offer.hear(event);
  };
  const stopBeating = startBeating(pulse, everyMs, (event) => hear(event));
  try {
    const askVariable = async (variable: MissingVariable) => askForVariable(terminal, variable);
    return await work({
      view,
      environment: view.asks ? { ...environment, askVariable } : environment,
    });
  } catch (error) {
    const diagnostics = diagnosticsOf(error);
    if (diagnostics.length === 0) throw error;
    view.diagnostics(diagnostics);
    if (!(error instanceof InterruptedError)) return exitCodes.error;
    // What was given up may hold connections and timers that would keep the process.
    shell.terminal.exit(exitCodes.interrupted);
    return exitCodes.interrupted;
  } finally {
    view.end();
    stopBeating();
    live?.close();
    offer.close();
  }
}

/** What draws is loaded while a person reads the plan. */
function preparing(view: View, live: LiveView): View {
  return {
    ...view,
    follow: (plan, earlier) => {
      view.follow(plan);
      live.prepare(plan, earlier);
    },
  };
}

/** Commands that draw nothing know no such option. */
async function liveViewFor(
  terminal: Terminal,
  options: CommonOptions,
): Promise<LiveView | undefined> {
  const { progress, json, color } = options;
  const { live, environment, isTerminal } = terminal;
  if (progress === undefined || json === true || live === undefined) return undefined;
  if (!drawsLive(progress, terminal)) return undefined;
  const { createLiveView } = await import("./terminal/live-view.ts");
  return createLiveView(terminal, live, {
    color: usesColor(environment, isTerminal, color === false),
    now: () => Date.now(),
    steady: () => process.uptime() * 1000,
  });
}
