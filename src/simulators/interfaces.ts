/** What the simulators have in common, as one table: each interface behind the same functions. */

import type { Answer, Exchange, SimulatorReply, SimulatorRequest } from "./answer.ts";
import { dated } from "./cloud/document.ts";
import { refusalOf } from "./cloud/refusal.ts";
import { answerCloud, classifyCloud, cloudBusyReply, cloudRefusalReply } from "./cloud/routes.ts";
import type { TaskPlan } from "./cloud/task.ts";
import type { SimulatorCore } from "./core.ts";
import { plainRefusal, refusalReply, vixRefusal } from "./daemon/refusal.ts";
import { answerDaemon, classify } from "./daemon/routes.ts";
import type { InterfaceName, RequestClass } from "./request-log.ts";

export type SimulatedInterface = {
  readonly name: InterfaceName;
  readonly classify: (method: string, path: string) => RequestClass;
  /** `plan` is a fault's wish for the task that the request begins, if it begins one. */
  readonly answer: (
    core: SimulatorCore,
    request: SimulatorRequest,
    exchange: Exchange,
    plan: TaskPlan | undefined,
  ) => Answer | Promise<Answer>;
  /** Refusal of a busy object, for faults. */
  readonly busy: (core: SimulatorCore, request: SimulatorRequest) => SimulatorReply;
  /** Any refusal in the interface's form, for faults. */
  readonly refusal: (
    core: SimulatorCore,
    request: SimulatorRequest,
    wanted: { readonly status: number; readonly message: string; readonly minor: string },
  ) => SimulatorReply;
};

export const daemonInterface: SimulatedInterface = {
  name: "daemon",
  classify,
  answer: (core, request, exchange) =>
    answerDaemon({ state: core.daemon, clock: core.clock, signal: core.signal }, request, exchange),
  busy: () => refusalReply(vixRefusal(5, "vm.Open")),
  refusal: (_core, _request, { status, message }) => refusalReply(plainRefusal(message, status)),
};

export const cloudInterface: SimulatedInterface = {
  name: "cloud",
  classify: classifyCloud,
  answer(core, request, _exchange, plan) {
    const nowMs = core.clock.now();
    const answer = answerCloud(core.cloud, request, nowMs, plan);
    return { ...answer, reply: dated(answer.reply, nowMs) };
  },
  busy: (core, request) => dated(cloudBusyReply(core.cloud, request), core.clock.now()),
  refusal(core, request, { status, minor, message }) {
    const reply = cloudRefusalReply(core.cloud, request, refusalOf(status, minor, message));
    return dated(reply, core.clock.now());
  },
};
