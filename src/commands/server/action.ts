/**
 * `vmform action`: something done once by hand to a recorded object. It is no part of any plan and
 * is not journaled: it is sent once, and nothing settles it afterwards. Of the configuration only
 * the `vmform` and provider blocks count: what to send is recorded.
 */

import { shellWord } from "../../lib/shell-word.ts";
import { closestName } from "../../lib/text.ts";
import type { Consent } from "../../model/operation/disruption.ts";
import { RemoteError } from "../../model/operation/remote-error.ts";
import type { DesiredPolicy } from "../../model/plan/policy.ts";
import {
  type ActionEnding,
  type ActionOrder,
  type ActionStep,
  cancelTaskAction,
  missingConsents,
} from "../../model/provider/action.ts";
import { aliasesOfRecorded } from "../../model/provider/aliases.ts";
import type { ActionType, ProviderSession } from "../../model/provider/provider.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import { unlessDefault } from "../../model/recorded/workspace.ts";
import { hasErrors } from "../../model/said/diagnostic.ts";
import { memberOf } from "../../model/value/value.ts";
import { type ActionJudgement, judgeAction } from "../../plan/policies/judge-action.ts";
import {
  type CommandEnvironment,
  CommandError,
  DiagnosticError,
  type WorkspaceEnvironment,
} from "../environment.ts";
import type { RunNotes } from "../history/keep.ts";
import { requireKnownPolicies } from "../plan/known-policies.ts";
import { policiesAlone, type Reading, type WorkspaceOptions } from "../reading.ts";
import { type Workspace, withLockedWorkspace, withWorkspace } from "../workspace.ts";
import { type Followed, followAction } from "./action-task.ts";
import { type ConfiguredProviders, providerSettings } from "./provider-settings.ts";
import { requireRecordedObject } from "./recorded-endpoint.ts";
import { type RecordedSubject, recordedSubject } from "./recorded-subject.ts";
import { remoteProblem } from "./remote-problem.ts";

export type ActionOptions = WorkspaceOptions & {
  readonly address: string;
  /** Undefined: the error lists what there is. */
  readonly action: string | undefined;
  readonly allowed: readonly Consent[];
  readonly lockTimeoutMs: number;
  readonly show: (order: ActionOrder) => void;
  /** Asks about what was shown, as of an apply: `approved` does not cover disruptions. */
  readonly review: (order: ActionOrder) => Promise<"agreed" | "approved" | "declined">;
  readonly step: (order: ActionOrder, step: ActionStep) => void;
};

export type ActionResult =
  | { readonly kind: "declined" }
  | {
      readonly kind: "ended";
      readonly order: ActionOrder;
      readonly ending: ActionEnding;
      readonly elapsedMs: number;
    };

type Errand = Workspace<ConfiguredProviders & { readonly policies: readonly DesiredPolicy[] }> & {
  /** Absent of what takes no lock, which the history of runs tells nothing of. */
  readonly run?: RunNotes;
};

/**
 * Holds the lock, so that no apply runs meanwhile; only cancelling a task takes none, since it may
 * be the task of a run. Throws `CommandError` for what cannot be done, or was refused.
 */
export async function actionCommand(
  environment: WorkspaceEnvironment,
  options: ActionOptions,
): Promise<ActionResult> {
  const { action, lockTimeoutMs } = options;
  const needs = { read: settingsAndPolicies, access: "mutate" } as const;
  const work = async (errand: Errand) =>
    perform({ ...errand, environment }, options, await readTask(errand, options));
  if (action === cancelTaskAction) return withWorkspace(environment, options, needs, work);
  // Before the lock: a slip of the pen should not wait for an apply.
  await withWorkspace(environment, options, needs, (errand) => readTask(errand, options));
  const lock = { operation: `action ${action ?? ""}`, timeoutMs: lockTimeoutMs };
  const toldBefore = { ...environment, remark: () => {} };
  return withLockedWorkspace(toldBefore, options, { ...needs, lock }, work);
}

/** Policies have to be readable, whatever else is wrong: none is passed over. */
const settingsAndPolicies: Reading<Errand["configured"]> = async (environment, options) => {
  const { value, diagnostics } = await providerSettings(environment, options);
  const policies = await policiesAlone(environment, options);
  return { value: { ...value, policies }, diagnostics };
};

function hasFailed({ status }: ActionEnding): boolean {
  return status !== "success" && status !== "needless" && status !== "left";
}

type ActionTask = { readonly order: ActionOrder; readonly subject: RecordedSubject };

/** What to do, by recorded state as it is now. */
async function readTask(
  { environment, configured, recorded }: Errand,
  options: ActionOptions,
): Promise<ActionTask> {
  const { state } = await recorded();
  const subject = recordedSubject(environment, state, configured.providers, options.address);
  const action = knownAction(subject, options.action);
  if (action.name !== cancelTaskAction) refuseOpen(environment, state, subject);
  const inWorkspace = unlessDefault(configured.settings.workspace);
  return { subject, order: { ...orderOf(subject, action), ...inWorkspace } };
}

function knownAction({ type }: RecordedSubject, name: string | undefined): ActionType {
  const { actions = [] } = type;
  if (actions.length === 0) {
    throw new CommandError(`There are no actions for objects of type ${type.name}.`);
  }
  const action = actions.find((item) => item.name === name);
  if (action !== undefined) return action;
  const names = actions.map((item) => item.name);
  const closest = name === undefined ? undefined : closestName(name, names);
  const list = actions.map(describe).join("; ");
  const problem = name === undefined ? "Which action?" : `${type.name} has no action ${name}.`;
  throw new CommandError(
    `${problem} There are: ${list}.`,
    closest === undefined ? undefined : `Did you mean ${closest}?`,
    "usage",
  );
}

function describe({ name, description }: ActionType): string {
  return name === description ? name : `${name} (${description})`;
}

/** What an interrupted run began is settled by reading, which an action meanwhile would mislead. */
function refuseOpen(
  { types }: Pick<CommandEnvironment, "types">,
  state: RecordedState,
  { record, type, settings }: RecordedSubject,
): void {
  // Also one that reaches the same machine through another interface.
  const keys = new Set([
    type.entity(record.identity, settings),
    ...aliasesOfRecorded(types, record, (container) =>
      state.objects.find(
        (object) => object.type === container.type && object.identity === container.identity,
      ),
    ),
  ]);
  const open = state.open.find(
    ({ subject, order }) =>
      subject.address === record.address || order.locks.some(({ key }) => keys.has(key)),
  );
  if (open === undefined) return;
  throw new CommandError(
    `The operation ${open.id} of an interrupted run is open on this object.`,
    "Settle it first: vmform apply, or vmform state resolve. To end a task that it began: " +
      `vmform action ${shellWord(open.subject.address)} ${cancelTaskAction}`,
  );
}

function orderOf({ record, type, settings }: RecordedSubject, action: ActionType): ActionOrder {
  const { address, provider, identity, attributes, applied } = record;
  const url = memberOf(settings, "url");
  const name = type.schema.attributes.name?.sensitive === true ? null : attributes.name;
  const wantedPower = type.power === undefined ? null : applied?.[type.power.wanted];
  const request = type.request(action.name, identity, {});
  return {
    address,
    type: type.name,
    provider,
    identity,
    action,
    cancelable: type.actions?.some((item) => item.name === cancelTaskAction) === true,
    ...(typeof url === "string" ? { url } : {}),
    ...(typeof name === "string" ? { name } : {}),
    ...(typeof wantedPower === "string" ? { wantedPower } : {}),
    ...(request === undefined ? {} : { request }),
  };
}

/** The endpoint is looked at before anybody is asked: who agrees shall know to what. */
async function perform(
  { environment, configured, connect, run }: Errand,
  options: ActionOptions,
  task: ActionTask,
): Promise<ActionResult> {
  requireKnownPolicies(options.allowed, configured.policies);
  const { sessions } = await connect();
  try {
    const { provider } = task.subject.record;
    const looking = () =>
      sessions
        .get(provider, task.subject.settings)
        .then(async (session) => ({ session, order: await lookAhead(session, task) }));
    const { session, order } = await environment.interrupts.untilInterrupted(looking);
    const asked = { policies: configured.policies, allowed: options.allowed };
    const judge = () => judged(environment, asked, task, order);
    const begin = async () => run?.begin(order.address);
    const agreeing = { ...environment, begin };
    const result = await agreeAndDo(agreeing, options, { ...task, order }, session, judge);
    if (result.kind === "ended" && hasFailed(result.ending)) run?.outcome("failed");
    return result;
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    throw remoteProblem(`${task.order.action.name} of ${task.order.address}`, error, "action");
  }
}

/** The order with what it would meet. Throws `RemoteError`, and `CommandError`. */
async function lookAhead(
  session: ProviderSession,
  { order, subject }: ActionTask,
): Promise<ActionOrder> {
  await requireRecordedObject(session, subject);
  const { action, type, identity } = order;
  const outlook = (await session.outlook?.(action.name, type, identity)) ?? {};
  const { disrupts = [], ...more } = outlook;
  return { ...order, ...more, action: { ...action, disrupts: [...action.disrupts, ...disrupts] } };
}

type AgreeingEnvironment = Pick<
  WorkspaceEnvironment,
  "clock" | "interrupts" | "events" | "remark"
> & { readonly begin: () => Promise<void> };

async function agreeAndDo(
  { clock, interrupts, events, remark, begin }: AgreeingEnvironment,
  options: ActionOptions,
  { order: looked, subject }: ActionTask,
  session: ProviderSession,
  judge: () => ActionJudgement,
): Promise<ActionResult> {
  if (looked.needless !== undefined) {
    const ending = { status: "needless", message: looked.needless } as const;
    return { kind: "ended", order: looked, ending, elapsedMs: 0 };
  }
  const { diagnostics, consents } = judge();
  remark(diagnostics);
  const order = consents.length === 0 ? looked : { ...looked, consents };
  options.show(order);
  const review = await interrupts.untilInterrupted(() => options.review(order));
  if (review === "declined") return { kind: "declined" };
  if (review === "approved") requireConsent(order, options.allowed);
  interrupts.begin();
  const startedMs = clock.now();
  // A window may have closed while somebody thought about it.
  const late = judge().consents.filter((consent) => order.consents?.includes(consent) !== true);
  if (late.length > 0) requireConsent({ ...order, consents: late }, options.allowed);
  await begin();
  options.step(order, { kind: "started" });
  // However long somebody has thought about it.
  await requireRecordedObject(session, subject);
  const untilMs = startedMs + subject.type.limitMs(order.action.name, subject.record.attributes);
  const step = (told: ActionStep): void => options.step(order, told);
  const work = { session, clock, events, interrupts, order, untilMs, step };
  const followed = await followAction(work);
  const ending = endingOf(order.action, followed, untilMs - startedMs);
  return { kind: "ended", order, ending, elapsedMs: clock.now() - startedMs };
}

/** Throws `DiagnosticError` for what policies deny. */
function judged(
  { types, clock }: Pick<WorkspaceEnvironment, "types" | "clock">,
  {
    policies,
    allowed,
  }: { readonly policies: readonly DesiredPolicy[]; readonly allowed: readonly Consent[] },
  { subject }: ActionTask,
  { action }: ActionOrder,
): ActionJudgement {
  const { name, description, disrupts } = action;
  const judgedAction = {
    record: subject.record,
    ...{ verb: name, summary: description, disrupts },
    ends: name === cancelTaskAction,
  };
  const judging = { types, nowMs: clock.now(), allowed };
  const judgement = judgeAction(judgedAction, policies, judging);
  if (hasErrors(judgement.diagnostics)) throw new DiagnosticError(judgement.diagnostics);
  return judgement;
}

function requireConsent(order: ActionOrder, allowed: readonly Consent[]): void {
  const missing = missingConsents(order, allowed);
  if (missing.length === 0) return;
  const kinds = missing.join(",");
  throw new CommandError(
    `The action needs consent that was not given: ${missing.join(", ")} of ${order.address}.`,
    `If that is what you want, add: --allow ${kinds}`,
    "consent",
  );
}

/** Only success is success, but of a task that was to be canceled. */
function endingOf({ name }: ActionType, followed: Followed, limitMs: number): ActionEnding {
  if (followed.status === "accepted") return { status: "success" };
  if (followed.status === "overdue") return { ...followed, limitMs };
  if (followed.status === "lost") {
    const message = `its task is out of sight and may go on: ${followed.message}`;
    return { status: "failed", message };
  }
  if (name !== cancelTaskAction) return followed;
  if (followed.status === "failed") return { status: "success", message: followed.message };
  if (followed.status !== "success") return followed;
  return { status: "failed", message: "the cancel came too late, the task ended with success" };
}
