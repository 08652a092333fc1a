/**
 * The effectful half of a package: every answer is checked, every fault is told as the package's,
 * and none is waited for without an end.
 */

import { RemoteError } from "../../model/operation/remote-error.ts";
import type { Observation, Wanted } from "../../model/provider/observation.ts";
import { RemotePackageFailure } from "../../model/provider/package-failure.ts";
import type {
  ActionOutlook,
  Discovered,
  FactsAnswer,
  ProviderSession,
  ScreenTicket,
  SendResult,
  TaskStatus,
} from "../../model/provider/provider.ts";
import { fitsType } from "../../model/value/fits-type.ts";
import type { ResourceSchema } from "../../model/value/resource-schema.ts";
import { type Attributes, isKnown, type Value } from "../../model/value/value.ts";
import { answer, type Door, reasonOf } from "./answer.ts";
import { shapes } from "./shapes.ts";
import { lent, NoValue } from "./value.ts";

export type SessionDoor = Door & {
  readonly schemas: { readonly [type: string]: ResourceSchema };
  readonly dataSchemas: { readonly [type: string]: ResourceSchema };
  readonly callLimitMs: number;
  readonly access: "read" | "mutate";
  readonly now: () => number;
};

type Asked<T> = {
  readonly what: string;
  readonly work: () => unknown;
  readonly read: (value: unknown) => T;
  /** What a failure says of the effect. */
  readonly effect?: "none" | "unknown";
  readonly limitMs?: number;
};

/** Asks the package. Throws `RemoteError`, its own or one that tells its fault. */
export async function askPackage<T>(door: SessionDoor, asked: Asked<T>): Promise<T> {
  const { what, work, read, effect = "none", limitMs = door.callLimitMs } = asked;
  try {
    return read(await within(limitMs, async () => work()));
  } catch (error) {
    if (error instanceof RemoteError) throw hidden(door, error);
    throw new RemotePackageFailure(
      door.label,
      door.hide(`${what}: ${reasonOf(error)}`),
      effect,
      error,
    );
  }
}

/** What the package says of the other side, without secrets. */
function hidden({ hide, schemas }: SessionDoor, error: RemoteError): RemoteError {
  const { kind, effect, status, retryAfterMs } = error;
  const told = Object.entries(error.attributes ?? {}).filter(([name]) => !isSecret(name, schemas));
  const attributes = error.attributes === undefined ? undefined : Object.fromEntries(told);
  return new RemoteError({
    kind,
    effect,
    message: hide(error.message),
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(attributes === undefined ? {} : { attributes }),
  });
}

async function within<T>(limitMs: number, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const told = new NoValue(`it has not answered within ${limitMs / 1000} s`);
    timer = setTimeout(() => reject(told), Math.min(limitMs, 2 ** 31 - 1));
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Methods that the package has not, the session has not either. */
export function sessionBehindDoor(session: ProviderSession, door: SessionDoor): ProviderSession {
  const { url } = session;
  return {
    ...(typeof url === "string" ? { url: door.hide(url) } : {}),
    read: (wanted, view) =>
      askPackage(door, {
        what: "read",
        work: () => session.read(lent(wanted), view),
        read: (value) => observations(value, wanted, door),
      }),
    send: (operation, deadlineMs) =>
      changing(door, {
        what: `send of ${operation.verb}`,
        work: () => session.send(lent(operation), deadlineMs),
        read: (value) => {
          const result = sendResult(value);
          const { type } = operation.subject;
          attributesOf(result.attributes ?? {}, door.schemas[type], "the answer");
          return result;
        },
        limitMs: Math.max(deadlineMs - door.now(), 0) + 1000,
      }),
    close: () => askPackage(door, { what: "close", work: () => session.close(), read: nothing }),
    ...identityMethods(session, door),
    ...taskMethods(session, door),
    ...listMethods(session, door),
    ...actionMethods(session, door),
  };
}

/** Nothing is sent in a session that was opened to read. */
function changing<T>(door: SessionDoor, asked: Asked<T>): Promise<T> {
  if (door.access === "read") throw new Error("a session for reading is asked to send");
  return askPackage(door, { effect: "unknown", ...asked });
}

function identityMethods(session: ProviderSession, door: SessionDoor): Partial<ProviderSession> {
  const given: { -readonly [name in keyof ProviderSession]?: ProviderSession[name] } = {};
  const perhaps = (value: unknown): string | undefined =>
    answer<string | null>(shapes.perhapsText, value, "the answer") ?? undefined;
  if (session.instance !== undefined) {
    given.instance = () =>
      askPackage(door, { what: "instance", work: () => session.instance?.(), read: perhaps });
  }
  if (session.version !== undefined) {
    const read = (value: unknown): string => answer<string>(shapes.text, value, "the answer");
    given.version = () =>
      askPackage(door, { what: "version", work: () => session.version?.(), read });
  }
  if (session.serverTime !== undefined) {
    const read = (value: unknown): number => answer<number>(shapes.ms, value, "the answer");
    given.serverTime = () =>
      askPackage(door, { what: "serverTime", work: () => session.serverTime?.(), read });
  }
  if (session.forsake !== undefined) {
    const read = (value: unknown): boolean => answer<boolean>(shapes.flag, value, "the answer");
    given.forsake = () =>
      askPackage(door, { what: "forsake", work: () => session.forsake?.(), read });
  }
  return given;
}

function taskMethods(session: ProviderSession, door: SessionDoor): Partial<ProviderSession> {
  const given: { -readonly [name in keyof ProviderSession]?: ProviderSession[name] } = {};
  if (session.poll !== undefined) {
    given.poll = (handle) =>
      askPackage(door, {
        what: "poll",
        work: () => session.poll?.(lent(handle)),
        read: (value) => taskStatus(value, door),
      });
  }
  if (session.cancel !== undefined) {
    given.cancel = (handle) =>
      changing(door, { what: "cancel", work: () => session.cancel?.(lent(handle)), read: nothing });
  }
  if (session.findTask !== undefined) {
    given.findTask = (begin) =>
      askPackage(door, {
        what: "findTask",
        work: () => session.findTask?.(lent(begin)),
        read: (value) => answer<Value>(shapes.nothing, value, "the handle") ?? undefined,
      });
  }
  return given;
}

function listMethods(session: ProviderSession, door: SessionDoor): Partial<ProviderSession> {
  const given: { -readonly [name in keyof ProviderSession]?: ProviderSession[name] } = {};
  const discovered = (value: unknown): readonly Discovered[] =>
    answer<readonly Discovered[]>(shapes.discovered, value, "the list");
  if (session.list !== undefined) {
    given.list = (type, view) =>
      askPackage(door, {
        what: `list of ${type}`,
        work: () => session.list?.(type, view),
        read: discovered,
      });
  }
  if (session.listContent !== undefined) {
    given.listContent = (type, containers) =>
      askPackage(door, {
        what: `listContent of ${type}`,
        work: () => session.listContent?.(type, lent(containers)),
        read: discovered,
      });
  }
  if (session.readData !== undefined) {
    given.readData = (type, query, view) =>
      askPackage(door, {
        what: `readData of ${type}`,
        work: () => session.readData?.(type, lent(query), view),
        read: (value) => {
          const read = answer<Attributes>(shapes.map, value, "the answer");
          return attributesOf(read, door.dataSchemas[type], "the answer");
        },
      });
  }
  if (session.facts !== undefined) {
    given.facts = (requests, view) =>
      askPackage(door, {
        what: "facts",
        work: () => session.facts?.(lent(requests), view),
        read: (value) =>
          asMany(answer<readonly FactsAnswer[]>(shapes.facts, value, "the answer"), requests),
      });
  }
  return given;
}

function actionMethods(session: ProviderSession, door: SessionDoor): Partial<ProviderSession> {
  const given: { -readonly [name in keyof ProviderSession]?: ProviderSession[name] } = {};
  if (session.outlook !== undefined) {
    given.outlook = (action, type, identity) =>
      askPackage(door, {
        what: `outlook of ${action}`,
        work: () => session.outlook?.(action, type, identity),
        read: (value) => answer<ActionOutlook>(shapes.outlook, value, "the answer"),
      });
  }
  if (session.act !== undefined) {
    given.act = (action, type, identity, subject) =>
      changing(door, {
        what: `act of ${action}`,
        work: () => session.act?.(action, type, identity, lent(subject)),
        read: sendResult,
      });
  }
  if (session.ticket !== undefined) {
    given.ticket = (type, identity) =>
      askPackage(door, {
        what: "ticket",
        work: () => session.ticket?.(type, identity),
        read: (value) => answer<ScreenTicket>(shapes.ticket, value, "the ticket"),
      });
  }
  return given;
}

function nothing(): void {}

function sendResult(value: unknown): SendResult {
  return answer<SendResult | null>(shapes.sendResult, value, "the answer") ?? {};
}

function taskStatus(value: unknown, { schemas }: SessionDoor): TaskStatus {
  const status = answer<TaskStatus>(shapes.taskStatus, value, "the answer");
  for (const [name, told] of Object.entries(attributesIn(status))) {
    if (told === null || !isSecret(name, schemas)) continue;
    throw new NoValue(`${name} in the answer is a secret, which is not to be given back`);
  }
  return status;
}

function attributesIn(status: TaskStatus): Attributes {
  return "attributes" in status ? (status.attributes ?? {}) : {};
}

/** A task and a failure name no type: what is a secret of any type is one. */
function isSecret(name: string, schemas: SessionDoor["schemas"]): boolean {
  return Object.values(schemas).some(
    ({ attributes }) => Object.hasOwn(attributes, name) && attributes[name]?.sensitive === true,
  );
}

function asMany<T>(answers: readonly T[], asked: readonly unknown[]): readonly T[] {
  if (answers.length === asked.length) return answers;
  throw new NoValue(`${asked.length} were asked for, and ${answers.length} answered`);
}

function observations(
  value: unknown,
  wanted: readonly Wanted[],
  { schemas }: SessionDoor,
): readonly Observation[] {
  const read = asMany(answer<readonly Observation[]>(shapes.observations, value, "it"), wanted);
  for (const [index, observation] of read.entries()) {
    const { address, type } = wanted[index] ?? {};
    if (observation.status !== "found") continue;
    attributesOf(observation.attributes, schemas[type ?? ""], `${address}`);
  }
  return read;
}

/** Attributes that the schema names, each of its kind. Throws `NoValue`. */
function attributesOf(
  attributes: Attributes,
  schema: ResourceSchema | undefined,
  at: string,
): Attributes {
  for (const [name, value] of Object.entries(attributes)) {
    const declared =
      schema !== undefined && Object.hasOwn(schema.attributes, name)
        ? schema.attributes[name]
        : undefined;
    if (declared === undefined) throw new NoValue(`${at} has ${name}, which its schema has not`);
    if (declared.sensitive && value !== null) {
      throw new NoValue(`${name} of ${at} is a secret, which is not to be given back`);
    }
    if (!isKnown(value)) throw new NoValue(`${name} of ${at} is unknown, which is no reading`);
    if (value !== null && !fitsType(value, declared.type)) {
      throw new NoValue(`${name} of ${at} is no ${declared.type}, as its schema says`);
    }
  }
  return attributes;
}
