/**
 * The life of a session with a server, whatever the interface: opened by the first request, renewed
 * when the server no longer knows it, ended by `end`. However many requests find it expired, one
 * login serves them all, each of them is repeated once, and two sessions are never alive at a time.
 */

import type { Clock } from "../../model/clock.ts";
import { RemoteError } from "../../model/operation/remote-error.ts";

/** What became of one request: an answer, or a session that the server no longer knows. */
export type Outcome<T> =
  | { readonly answer: T }
  /** The request had no effect. `error` stands if the next session is refused as well. */
  | { readonly expired: RemoteError };

export type SessionKeeper<S> = {
  /** The present session; logs in if there is none. */
  current(): Promise<S>;
  /** Sends one request under the present session, and again under the next if it had expired. */
  run<T>(send: (session: S) => Promise<Outcome<T>>): Promise<T>;
  /**
   * Ends the present session, so that the server refuses what was sent under it and has not arrived
   * yet; the next request opens another. False when the server did not confirm it.
   */
  forsake(): Promise<boolean>;
  /** Ends the session, also one that is just being opened. Later uses are errors. */
  end(): Promise<void>;
};

export type SessionPorts<S> = {
  /** Whom the session is with, for messages: `the cloud`. */
  readonly peer: string;
  readonly clock: Clock;
  /** Logs in. `checkOpen` throws once nobody wants the session any more. Throws `RemoteError`. */
  readonly open: (checkOpen: () => void) => Promise<S>;
  /** Logs out; whether the server confirmed it. Never throws: a session that stays will expire. */
  readonly close: (session: S) => Promise<boolean>;
};

/** How long the end of a session waits for its beginning. */
const loginPatienceMs = 5000;

/** An opened session, and whether the server has taken it since. */
type Generation<S> = {
  readonly session: Promise<S>;
  /** The session, once it is open. */
  opened: S | undefined;
  accepted: boolean;
  /** It replaced a session that was refused. */
  readonly renewed: boolean;
};

type Keeper<S> = {
  readonly ports: SessionPorts<S>;
  generation: Generation<S> | undefined;
  ended: boolean;
};

export function keepSession<S>(ports: SessionPorts<S>): SessionKeeper<S> {
  const keeper: Keeper<S> = { ports, generation: undefined, ended: false };
  return {
    current: async () => generationOf(keeper).session,
    run: (send) => runWith(keeper, send),
    forsake: () => forsake(keeper),
    end: () => endSession(keeper),
  };
}

async function runWith<S, T>(
  keeper: Keeper<S>,
  send: (session: S) => Promise<Outcome<T>>,
): Promise<T> {
  const first = generationOf(keeper);
  const outcome = await sendUnder(first, send);
  if ("answer" in outcome) return outcome.answer;
  const next = renew(keeper, first, outcome.expired);
  const repeated = await sendUnder(next, send);
  if ("answer" in repeated) return repeated.answer;
  throw repeated.expired;
}

async function sendUnder<S, T>(
  generation: Generation<S>,
  send: (session: S) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const session = await generation.session;
  try {
    const outcome = await send(session);
    if ("answer" in outcome) generation.accepted = true;
    return outcome;
  } catch (error) {
    // An error in the server's words: whatever it refuses, it knew the session.
    if (error instanceof RemoteError && error.status !== undefined) generation.accepted = true;
    throw error;
  }
}

function generationOf<S>(keeper: Keeper<S>): Generation<S> {
  checkOpen(keeper);
  keeper.generation ??= open(keeper, false);
  return keeper.generation;
}

/**
 * The session after a refused one: opened by the first that finds out. A renewed session that was
 * refused before it was ever taken is not renewed again: that would log in for every request.
 */
function renew<S>(keeper: Keeper<S>, refused: Generation<S>, error: RemoteError): Generation<S> {
  checkOpen(keeper);
  if (keeper.generation !== refused && keeper.generation !== undefined) return keeper.generation;
  if (refused.renewed && !refused.accepted) throw error;
  keeper.generation = open(keeper, true);
  return keeper.generation;
}

function open<S>(
  keeper: Keeper<S>,
  renewed: boolean,
  before: Promise<unknown> = Promise.resolve(),
): Generation<S> {
  const session = before.then(() =>
    keeper.ports.open(() => {
      checkOpen(keeper);
    }),
  );
  const generation: Generation<S> = { session, opened: undefined, accepted: false, renewed };
  const onOpened = (opened: S): void => void (generation.opened = opened);
  session.then(onOpened, (error: unknown) => {
    // Refused credentials stay refused, and asking again would lock the account.
    const isFinal = error instanceof RemoteError && error.kind === "unauthorized";
    if (!isFinal && keeper.generation === generation) keeper.generation = undefined;
  });
  return generation;
}

/** Whoever comes meanwhile waits for the end of the old session, and takes the next one. */
async function forsake<S>(keeper: Keeper<S>): Promise<boolean> {
  checkOpen(keeper);
  const { generation, ports } = keeper;
  if (generation === undefined) return true;
  const closing = generation.session.then(
    (session) => ports.close(session),
    // Nothing was sent under a session that did not open.
    () => true,
  );
  keeper.generation = open(keeper, false, closing);
  return closing;
}

async function endSession<S>(keeper: Keeper<S>): Promise<void> {
  if (keeper.ended) return;
  keeper.ended = true;
  const { generation, ports } = keeper;
  if (generation === undefined) return;
  const session = generation.opened ?? (await opening(generation, ports.clock));
  if (session !== undefined) await ports.close(session);
}

/** A login that does not answer is given up: what it may have opened cannot be ended. */
function opening<S>({ session }: Generation<S>, clock: Clock): Promise<S | undefined> {
  return Promise.race([
    session.catch(() => undefined),
    clock.sleep(loginPatienceMs).then(() => undefined),
  ]);
}

function checkOpen<S>({ ended, ports }: Keeper<S>): void {
  if (!ended) return;
  throw new RemoteError({
    kind: "unavailable",
    effect: "none",
    message: `the session with ${ports.peer} was closed here`,
  });
}
