/** Asks servers who has changed what has drifted. Nothing is asked where nothing has. */

import { askedProviders, type ClocksAhead, questionsOf, withTold } from "../../drift/told.ts";
import type { Clock } from "../../model/clock.ts";
import { RemoteError } from "../../model/operation/remote-error.ts";
import type { DriftReport } from "../../model/plan/drift-report.ts";
import type { ChangeAnswer } from "../../model/provider/told-change.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import type { Store } from "../../model/recorded/store.ts";
import type { Address } from "../../model/value/address.ts";
import type { Value } from "../../model/value/value.ts";
import type { Sessions } from "../sessions.ts";

type Given = {
  readonly sessions: Sessions;
  readonly store: Pick<Store, "runs">;
  readonly recorded: RecordedState;
  /** By name of the provider. */
  readonly settings: ReadonlyMap<string, Value>;
  readonly clock: Pick<Clock, "now">;
};

/** A server that cannot be asked tells nothing; what has drifted is known all the same. */
export async function withChanges(report: DriftReport, given: Given): Promise<DriftReport> {
  const { sessions, store, recorded, settings } = given;
  const providers = askedProviders(report);
  if (providers.length === 0) return report;
  const ahead = await clocksAhead(providers, given);
  const asked = questionsOf(report, recorded.objects, await store.runs(), ahead);
  const answers = new Map<Address, ChangeAnswer>();
  for (const provider of providers) {
    const own = asked.filter((one) => one.provider === provider);
    try {
      const session = await sessions.get(provider, settings.get(provider) ?? null);
      const told = await session.toldChanges?.(own.map(({ question }) => question));
      for (const [index, { address }] of own.entries()) {
        const answer = told?.[index];
        if (answer !== undefined) answers.set(address, answer);
      }
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error;
      const withheld = { changes: [], withheld: error.message };
      for (const { address } of own) answers.set(address, withheld);
    }
  }
  return withTold(report, answers, ahead);
}

/** One that cannot be asked now says so when it is asked who has changed what. */
async function clocksAhead(
  providers: readonly string[],
  { sessions, settings, clock }: Given,
): Promise<ClocksAhead> {
  const ahead = new Map<string, number>();
  for (const provider of providers) {
    try {
      const session = await sessions.get(provider, settings.get(provider) ?? null);
      if (session.toldChanges === undefined) continue;
      const beforeMs = clock.now();
      const timeMs = await session.serverTime?.();
      // It told its time somewhere between.
      if (timeMs !== undefined)
        ahead.set(provider, Math.round(timeMs - (beforeMs + clock.now()) / 2));
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error;
    }
  }
  return ahead;
}
