/**
 * The look before an object is ended that is to be replaced: whether its late values differ at all
 * from what is applied, and whether what is to be made in its place can be.
 */

import type { NeededObject, Operation, ReplacementCheck } from "../../model/operation/operation.ts";
import type { ProviderSession } from "../../model/provider/provider.ts";
import { compareWanted } from "../../model/value/comparison.ts";
import type { Attributes } from "../../model/value/value.ts";
import { isMet, readSubject } from "../settle.ts";
import type { Executed, Execution } from "./execution.ts";
import { evaluateLate, prepare } from "./late-values.ts";

const untouched = "nothing was done to the object that it was to take the place of";

/** Sends nothing and journals nothing. Throws `RemoteError` for a data source. */
export async function checkReplacement(
  execution: Execution,
  operation: Operation,
  check: ReplacementCheck,
): Promise<Executed> {
  const { decides } = check;
  if (decides !== undefined) {
    const late = await evaluateLate(execution, decides);
    if ("message" in late) return failed(late.message);
    if (isAsApplied(execution, operation, late.values)) {
      execution.kept.add(operation.subject.address);
      const names = Object.keys(decides).join(", ");
      return { outcome: "success", message: `${names} is as it was: it is not replaced` };
    }
  }
  const obstacle = await obstacleOf(execution, operation, check);
  return obstacle === undefined ? { outcome: "success" } : failed(obstacle);
}

function failed(reason: string): Executed {
  return { outcome: "failed", message: `${reason}; ${untouched}` };
}

/** Unlike a plan, this compares only what was unknown to it. */
function isAsApplied(
  { ports, ledger }: Execution,
  { subject: { address, type: name } }: Operation,
  wanted: Attributes,
): boolean {
  const type = ports.types[name];
  const record = ledger.object(address);
  if (type === undefined || record === undefined) return false;
  const { applied, attributes } = record;
  const { forceNew } = compareWanted({
    ...{ type, wanted, applied, attributes },
    ignore: [],
    except: [],
  });
  return forceNew.length === 0;
}

/** Why the new object cannot be made, as far as that can be told before. */
async function obstacleOf(
  execution: Execution,
  { subject: { provider } }: Operation,
  check: ReplacementCheck,
): Promise<string | undefined> {
  const create = execution.operations.get(check.create);
  if (create === undefined) return undefined;
  const prepared = await prepare(execution, create);
  if ("message" in prepared) return prepared.message;
  if (check.needs.length === 0) return undefined;
  const settings = execution.settings.get(provider) ?? null;
  const session = await execution.sessions.get(provider, settings);
  for (const needed of check.needs) {
    const obstacle = await lackOf(session, needed, create);
    if (obstacle !== undefined) return obstacle;
  }
  return undefined;
}

async function lackOf(
  session: ProviderSession,
  { type, identity, expect }: NeededObject,
  { subject: { address }, verb }: Operation,
): Promise<string | undefined> {
  const subject = { address, type, identity };
  const observation = await readSubject(session, { subject, proof: { expect, readBack: [] } });
  if (observation === undefined) return `${type} ${identity} could not be read before ${verb}`;
  if (isMet(expect, observation)) return undefined;
  if (observation.status !== "found") return `${verb} needs ${type} ${identity}: it does not exist`;
  const wishes = expect.flatMap((item) => ("equals" in item ? [item] : []));
  const words = wishes.map(({ attribute, equals }) => {
    const actual = observation.attributes[attribute] ?? null;
    return `${attribute} is ${JSON.stringify(actual)}, not ${JSON.stringify(equals)}`;
  });
  return `${verb} needs ${type} ${identity}: its ${words.join(", ")}`;
}
