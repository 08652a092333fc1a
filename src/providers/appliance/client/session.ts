/**
 * The life of a session: opened by the first request, renewed when the server refuses its id, ended
 * by `end`. However many requests find it expired, one login serves them all, and each of them is
 * repeated once.
 */

import type { HttpClient } from "../../../http/call.ts";
import type { Clock } from "../../../model/clock.ts";
import { RemoteError } from "../../../model/remote-error.ts";
import { type LiveSession, login, logout } from "./login.ts";
import type { ApplianceSettings } from "./settings.ts";

/** What became of one request: an answer, or an id that the server no longer takes. */
export type Outcome<T> =
  | { readonly answer: T }
  /** The request had no effect. `error` stands if the next session is refused as well. */
  | { readonly expired: RemoteError };

export type SessionKeeper = {
  /** The present session; logs in if there is none. */
  current(): Promise<LiveSession>;
  /** Sends one request under the present session, and again under the next if it had expired. */
  run<T>(send: (session: LiveSession) => Promise<Outcome<T>>): Promise<T>;
  /** Ends the session, also one that is just being opened. Later uses are errors. */
  end(): Promise<void>;
};

export type SessionPorts = {
  readonly http: HttpClient;
  readonly settings: ApplianceSettings;
  readonly clock: Clock;
  /** Hears each session id, or the encoded credentials, before it is used. */
  readonly onSecret: (secret: string) => void;
};

/** How long the end of a session waits for its beginning. */
const loginPatienceMs = 5000;

/** A session, and whether the server has taken its id since. */
type Generation = {
  readonly session: Promise<LiveSession>;
  /** The session, once it is open. */
  opened: LiveSession | undefined;
  accepted: boolean;
  /** It replaced a session that was refused. */
  readonly renewed: boolean;
};

type Keeper = {
  readonly ports: SessionPorts;
  generation: Generation | undefined;
  ended: boolean;
};

export function keepSession(ports: SessionPorts): SessionKeeper {
  const keeper: Keeper = { ports, generation: undefined, ended: false };
  return {
    current: async () => generationOf(keeper).session,
    run: (send) => runWith(keeper, send),
    end: () => endSession(keeper),
  };
}

async function runWith<T>(
  keeper: Keeper,
  send: (session: LiveSession) => Promise<Outcome<T>>,
): Promise<T> {
  const first = generationOf(keeper);
  const outcome = await sendUnder(first, send);
  if ("answer" in outcome) return outcome.answer;
  const repeated = await sendUnder(renew(keeper, first, outcome.expired), send);
  if ("answer" in repeated) return repeated.answer;
  throw repeated.expired;
}

async function sendUnder<T>(
  generation: Generation,
  send: (session: LiveSession) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const outcome = await send(await generation.session);
  if ("answer" in outcome) generation.accepted = true;
  return outcome;
}

function generationOf(keeper: Keeper): Generation {
  if (keeper.ended) throw closedError();
  keeper.generation ??= open(keeper, false);
  return keeper.generation;
}

/**
 * The session after a refused one: opened by the first that finds out. One that was refused before
 * it was ever taken is not renewed again: that would log in for every request.
 */
function renew(keeper: Keeper, refused: Generation, error: RemoteError): Generation {
  if (keeper.ended) throw closedError();
  if (keeper.generation !== refused && keeper.generation !== undefined) return keeper.generation;
  if (refused.renewed && !refused.accepted) throw error;
  keeper.generation = open(keeper, true);
  return keeper.generation;
}

function open(keeper: Keeper, renewed: boolean): Generation {
  const { http, settings, onSecret } = keeper.ports;
  const session = login(http, settings, onSecret);
  const generation: Generation = { session, opened: undefined, accepted: false, renewed };
  const onOpened = (opened: LiveSession): void => void (generation.opened = opened);
  session.then(onOpened, (error: unknown) => {
    // Refused credentials stay refused, and asking again would lock the account.
    const isFinal = error instanceof RemoteError && error.kind === "unauthorized";
    if (!isFinal && keeper.generation === generation) keeper.generation = undefined;
  });
  return generation;
}

async function endSession(keeper: Keeper): Promise<void> {
  if (keeper.ended) return;
  keeper.ended = true;
  const { generation, ports } = keeper;
  if (generation === undefined) return;
  const { http, settings, clock } = ports;
  const session = generation.opened ?? (await opening(generation, clock));
  if (session !== undefined) await logout(http, settings, session, clock.now());
}

/** A login that does not answer is given up: what it may have opened cannot be ended. */
function opening({ session }: Generation, clock: Clock): Promise<LiveSession | undefined> {
  return Promise.race([
    session.catch(() => undefined),
    clock.sleep(loginPatienceMs).then(() => undefined),
  ]);
}

function closedError(): RemoteError {
  return new RemoteError({
    kind: "unavailable",
    effect: "none",
    message: "the session with the appliance was closed here",
  });
}
