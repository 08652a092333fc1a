/** `vmform state` and `force-unlock` on the command line. */

import type { Command } from "commander";
import { action, type Done } from "../action.ts";
import { addCommon, addLockTimeout, addStateFrom } from "../options.ts";
import type { Shell } from "../run.ts";
import {
  runForceUnlock,
  runStateList,
  runStateRemove,
  runStateResolve,
  runStateShow,
} from "./state.ts";
import { addStateMigrate } from "./state-migrate.ts";
import { addStateMirror } from "./state-mirror.ts";
import { addStateMove } from "./state-move.ts";
import { addStateReseal } from "./state-reseal.ts";
import { addStateSql } from "./state-sql.ts";
import { addStateTransfer } from "./state-transfer.ts";

export function addState(program: Command, shell: Shell, done: Done): void {
  const state = program.command("state").description("look at and mend recorded state");
  addStateFrom(addCommon(state.command("list").description("recorded addresses"))).action(
    action(shell, done, runStateList),
  );
  addStateFrom(
    addCommon(
      state.command("show").argument("<address>").description("everything recorded of one object"),
    ),
  ).action(action(shell, done, (run, flags, [address]) => runStateShow(run, address, flags)));
  addStateMove(state, shell, done);
  addStateTransfer(state, shell, done);
  addStateReseal(state, shell, done);
  addStateMigrate(state, shell, done);
  addStateMirror(state, shell, done);
  addStateSql(state, shell, done);
  addLockTimeout(
    addCommon(
      state
        .command("rm")
        .argument("<address...>")
        .description("forget objects without touching them"),
    ),
  ).action(action(shell, done, (run, flags, [addresses]) => runStateRemove(run, addresses, flags)));
  addLockTimeout(
    addCommon(
      state
        .command("resolve")
        .argument("<address>")
        .description("say how an operation ended that nobody saw the end of"),
    ),
  )
    .option("--done", "it took effect")
    .option("--not-done", "it did not, and no longer can")
    .action(action(shell, done, (run, flags, [address]) => runStateResolve(run, address, flags)));
  addCommon(
    program
      .command("force-unlock")
      .argument("<id>")
      .description("remove the lock of a run that is gone"),
  ).action(action(shell, done, (run, flags, [id]) => runForceUnlock(run, id, flags)));
}
