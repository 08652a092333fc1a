/** `vmform state mirror` on the command line. */

import type { Command } from "commander";
import { listMirrors, putMirrorAside } from "../../commands/state/mirrors.ts";
import { shellWord } from "../../lib/shell-word.ts";
import { mirrorsJson, mirrorsText } from "../../render/state/mirrors.ts";
import { action, type Done } from "../action.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { addCommon, type FlagsOf, workspaceOptions } from "../options.ts";
import type { Run, Shell } from "../run.ts";

type Flags = FlagsOf<typeof declareMirror>;

export function addStateMirror(state: Command, shell: Shell, done: Done): void {
  declareMirror(state).action(action(shell, done, runMirror));
}

function declareMirror(state: Command) {
  const mirror = state
    .command("mirror")
    .description("what this machine has of stores that may be out of reach");
  return addCommon(mirror).option(
    "--discard <name>",
    "take a mirror away; what was applied from it goes into a file",
  );
}

async function runMirror({ view, environment }: Run, flags: Flags): Promise<ExitCode> {
  const options = workspaceOptions(flags);
  if (flags.discard === undefined) {
    const mirrors = await listMirrors(environment, options);
    const none =
      "There are none: they are kept by commands that read or write a store on a server.";
    view.text(mirrors.length === 0 ? none : mirrorsText(mirrors, environment.clock.now()));
    view.document(mirrorsJson(mirrors));
    return exitCodes.ok;
  }
  const { state, files } = await putMirrorAside(environment, options, flags.discard);
  view.text(
    `The mirror ${flags.discard} is gone. The next command that reads its store keeps one.`,
  );
  if (state !== undefined) {
    view.text(`What was applied from it is in ${state}, with all else that was recorded.`);
    view.text(
      `To put it in place of what the store has: vmform state push --force ${shellWord(state)}`,
    );
  }
  for (const file of files) view.text(`It could not be read. Its file is kept: ${file}`);
  view.document({ discarded: flags.discard, ...(state === undefined ? {} : { state }), files });
  return exitCodes.ok;
}
