/** `vmform serve`: the board as web pages, until it is stopped. */

import { CommandError } from "../../commands/environment.ts";
import type { EmbeddedDatabase } from "../../commands/fleet/ports.ts";
import { loadBeforeChanges } from "../../lib/before-changes.ts";
import { quotedWord } from "../../lib/shell-word.ts";
import { type Served, startServing } from "../../serve/server.ts";
import { ServeProblem, type ServeSettings, settingsOf } from "../../serve/settings.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { databaseOf } from "../fleet/database.ts";
import { nodeProblem } from "../fleet/node-version.ts";
import type { Run, Shell } from "../run.ts";
import type { ServeFlags } from "./serve-command.ts";

const listenDefault = "127.0.0.1:8340";
const secretVariable = "VMFORM_OIDC_SECRET";

export async function runServe(shell: Shell, run: Run, flags: ServeFlags): Promise<ExitCode> {
  const { view, environment } = run;
  const settings = inWords(() => settingsOf(optionsOf(flags)));
  loadBeforeChanges({ everything: true });
  if (flags.embedded !== true) return serveUntilStopped(shell, run, { settings, flags });
  if (flags.database !== undefined) {
    const fix = "Leave out --database or --embedded.";
    throw new CommandError("Two databases were asked for.", fix, "usage");
  }
  const { startEmbedded } = await environment.loadFleet();
  const embedded = await startEmbedded();
  try {
    const { url: database, lost } = embedded;
    const told = embeddedWords(embedded);
    const serving = { settings, flags: { ...flags, database }, lost, told };
    return await serveUntilStopped(shell, run, serving);
  } finally {
    await embedded.stop();
    view.say("The embedded database has stopped; what is in it stays.");
  }
}

function embeddedWords({ url, version }: EmbeddedDatabase): string {
  return (
    `${version} runs embedded in .vmform/embedded of this folder, until this ends.\n` +
    "Commands that are run in this folder use it where nothing names another one; elsewhere:\n" +
    `  --database ${quotedWord(url)}`
  );
}

type Serving = {
  readonly settings: ServeSettings;
  readonly flags: ServeFlags;
  /** Rejects where its database has ended. */
  readonly lost?: Promise<never>;
  readonly told?: string;
};

async function serveUntilStopped(
  shell: Shell,
  run: Run,
  { settings, flags, lost, told }: Serving,
): Promise<ExitCode> {
  const { view, environment } = run;
  const { openBoard } = await environment.loadFleet();
  const noQueue = nodeProblem(environment, "Approving here");
  const board = await openBoard(databaseOf(flags), noQueue);
  try {
    const served = await serve(shell, run, settings, board);
    try {
      view.say(told ?? `Serving the states of ${board.location}.`);
      if (noQueue !== undefined) view.say(`Pages are read only: ${noQueue.why}`);
      view.say(`${wordsOf(settings)} Ctrl-C stops it.`);
      view.text(served.address);
      const asked = new Promise<void>((resolve) => shell.terminal.onInterrupt(() => resolve()));
      await (lost === undefined ? asked : Promise.race([asked, lost]));
      view.say("Stopped.");
    } finally {
      await served.stop();
    }
    return exitCodes.ok;
  } finally {
    await board.close();
  }
}

type Board = Parameters<typeof startServing>[1]["board"];

async function serve(
  { terminal, version }: Shell,
  { environment }: Run,
  settings: ServeSettings,
  board: Board,
): Promise<Served> {
  const secret = terminal.environment[secretVariable];
  if (secret !== undefined) environment.hideSecret(secret);
  try {
    return await startServing(settings, {
      ...{ board, version, types: environment.types, now: () => environment.clock.now() },
      owner: environment.operator.who,
      oidcSecret: secret === "" ? undefined : secret,
      onFault: (error, id) => {
        const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
        terminal.writeError(
          `a fault of vmform itself, ${id}: ${environment.maskText?.(text) ?? text}\n`,
        );
      },
    });
  } catch (error) {
    return inWords(() => {
      throw error;
    });
  }
}

function optionsOf(flags: ServeFlags) {
  const { listen = listenDefault, url, userHeader, rolesHeader, oidcIssuer, oidcClient } = flags;
  const { trustedProxy = [], role = [], oidcRolesClaim = "groups", oidcUserClaim } = flags;
  return {
    ...{ listen, trustedProxies: trustedProxy, roles: role, oidcRolesClaim },
    ...(url === undefined ? {} : { url }),
    ...(userHeader === undefined ? {} : { userHeader }),
    ...(rolesHeader === undefined ? {} : { rolesHeader }),
    ...(oidcIssuer === undefined ? {} : { oidcIssuer }),
    ...(oidcClient === undefined ? {} : { oidcClient }),
    ...(oidcUserClaim === undefined ? {} : { oidcUserClaim }),
  };
}

function wordsOf({ login, host }: ServeSettings): string {
  if (login.kind === "oidc") return `People log in at ${login.issuer.href}.`;
  if (login.kind === "token") {
    return "Whoever has the address below may do everything; keep it to yourself.";
  }
  const local = /^(127\.|localhost|::1)/.test(host);
  const words = `A proxy says by ${login.userHeader} who it is.`;
  if (!local) return words;
  return `${words} So may every program on this machine: let no others use it.`;
}

function inWords<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ServeProblem) throw new CommandError(error.message, error.fix, "usage");
    throw error;
  }
}
