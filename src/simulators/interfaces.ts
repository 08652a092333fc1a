/** What the simulators have in common, as one table: each interface behind the same functions. */

import { applianceDated } from "./appliance/call.ts";
import {
  answerAppliance,
  applianceBusyReply,
  applianceRefusalReply,
  classifyAppliance,
} from "./appliance/routes.ts";
import { machineOf } from "./appliance-machine.ts";
import { dated } from "./cloud/rest/document.ts";
import { refusalOf } from "./cloud/rest/refusal.ts";
import { answerCloud, classifyCloud, cloudBusyReply, cloudRefusalReply } from "./cloud/routes.ts";
import type { CloudTaskPlan } from "./cloud/world/task.ts";
import type { SimulatorCore } from "./core.ts";
import { plainRefusal, refusalReply, vixRefusal } from "./daemon/refusal.ts";
import { answerDaemon, classify } from "./daemon/routes.ts";
import type { Answer, Exchange, SimulatorReply, SimulatorRequest } from "./kit/answer.ts";
import type { InterfaceName, RequestClass } from "./kit/request-log.ts";
import type { TaskPlan } from "./kit/task.ts";
import {
  answerManager,
  classifyManager,
  managerBusyReply,
  managerRefusalReply,
} from "./manager/routes.ts";
import { settleManager } from "./manager/world/manager-state.ts";

export type SimulatedInterface = {
  readonly name: InterfaceName;
  readonly classify: (request: SimulatorRequest) => RequestClass;
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
    wanted: WantedRefusal,
  ) => SimulatorReply;
};

type WantedRefusal = {
  readonly status: number;
  readonly message: string;
  /** In the words of the interface: a minor code, a type of fault; null leaves it to it. */
  readonly kind: string | null;
};

export const daemonInterface: SimulatedInterface = {
  name: "daemon",
  classify: ({ method, path }) => classify(method, path),
  answer: (core, request, exchange) =>
    answerDaemon({ state: core.daemon, clock: core.clock, signal: core.signal }, request, exchange),
  busy: () => refusalReply(vixRefusal(5, "vm.Open")),
  refusal: (_core, _request, { status, message }) => refusalReply(plainRefusal(message, status)),
};

export const cloudInterface: SimulatedInterface = {
  name: "cloud",
  classify: ({ method, path }) => classifyCloud(method, path),
  answer(core, request, _exchange, plan) {
    const nowMs = core.clock.now();
    const answer = answerCloud(core.cloud, request, nowMs, plan && cloudPlan(plan));
    return { ...answer, reply: dated(answer.reply, nowMs) };
  },
  busy: (core, request) => dated(cloudBusyReply(core.cloud, request), core.clock.now()),
  refusal(core, request, { status, kind, message }) {
    const refusal = refusalOf(status, kind ?? "BAD_REQUEST", message);
    const reply = cloudRefusalReply(core.cloud, request, refusal);
    return dated(reply, core.clock.now());
  },
};

function cloudPlan({ error, ...plan }: TaskPlan): CloudTaskPlan {
  if (error === null) return { ...plan, error };
  const { kind, message } = error;
  return { ...plan, error: { major: 500, minor: kind ?? "INTERNAL_SERVER_ERROR", message } };
}

/** Between two looks at what a client waits for. */
const lookAgainMs = 200;

export const managerInterface: SimulatedInterface = {
  name: "manager",
  classify: classifyManager,
  answer({ manager, clock, changes }, request, exchange, plan) {
    const pause = (untilMs: number): Promise<void> =>
      // Not every change is announced: events are not saved by themselves, and work ends by time.
      changes.next(Math.min(untilMs, clock.now() + lookAgainMs));
    const patience = { now: () => clock.now(), pause, isGone: () => exchange.isGone() };
    return answerManager(manager, request, clock.now(), plan, patience);
  },
  busy: (core, request) => managerBusyReply(core.manager, request),
  refusal: (core, request, wanted) => managerRefusalReply(core.manager, request, wanted),
};

export const applianceInterface: SimulatedInterface = {
  name: "appliance",
  classify: classifyAppliance,
  async answer(core, request, exchange, plan) {
    const { appliance: state, clock, signal } = core;
    const machine = () => {
      settleManager(core.manager, clock.now());
      return machineOf(core.manager.vms.values(), state.world.vm);
    };
    const context = { state, machine, clock, signal, exchange, plan };
    const answer = await answerAppliance(context, request);
    return { ...answer, reply: applianceDated(answer.reply, clock.now()) };
  },
  busy: ({ clock }, request) => applianceDated(applianceBusyReply(request), clock.now()),
  refusal: ({ clock }, request, wanted) =>
    applianceDated(applianceRefusalReply(request, wanted), clock.now()),
};
