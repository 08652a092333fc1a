/** Asks servers who has changed what has drifted. Nothing is asked where nothing has. */

import { questionsOf, withTold } from "../../drift/told.ts";
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
};

/** A server that cannot be asked tells nothing; what has drifted is known all the same. */
export async function withChanges(report: DriftReport, given: Given): Promise<DriftReport> {
  const { sessions, store, recorded, settings } = given;
  if (questionsOf(report, recorded.objects, []).length === 0) return report;
  const asked = questionsOf(report, recorded.objects, await store.runs());
  const answers = new Map<Address, ChangeAnswer>();
  for (const provider of new Set(asked.map((one) => one.provider))) {
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
  return withTold(report, answers);
}
