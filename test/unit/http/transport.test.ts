/** What no real server can be made to do at will: connections that come late, or not at all. */

import { Dispatcher } from "undici";
import { expect, test } from "vitest";
import { exchange, TransportError } from "../../../src/http/transport.ts";

/** A pool that hands the request's handler to the test and does nothing else. */
class HeldDispatcher extends Dispatcher {
  options: Dispatcher.DispatchOptions | undefined;
  handler: Dispatcher.DispatchHandler | undefined;

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) {
    this.options = options;
    this.handler = handler;
    return true;
  }
}

function controller() {
  const aborts: Error[] = [];
  const value: Dispatcher.DispatchController = {
    aborted: false,
    paused: false,
    reason: null,
    abort: (reason) => void aborts.push(reason),
    pause: () => {},
    resume: () => {},
  };
  return { value, aborts };
}

function start(timeoutMs: number) {
  const dispatcher = new HeldDispatcher();
  const sent: string[] = [];
  const outcome = exchange(dispatcher, {
    origin: "http://127.0.0.1:1",
    path: "/",
    method: "POST",
    headers: {},
    body: "{}",
    timeoutMs,
    bodyBytesMax: 100,
    freshConnection: true,
    onSent: () => void sent.push("sent"),
  }).catch((error: unknown) => error);
  return { dispatcher, outcome, sent };
}

test("a deadline before there is a connection: nothing is sent, not even later", async () => {
  const { dispatcher, outcome, sent } = start(5);
  const error = await outcome;
  expect(error).toBeInstanceOf(TransportError);
  expect(error).toMatchObject({ reason: "deadline", sent: false });
  const late = controller();
  dispatcher.handler?.onRequestStart?.(late.value, {});
  expect(late.aborts).toHaveLength(1);
  expect(sent).toEqual([]);
});

test("a failure before the request is written: nothing was sent", async () => {
  const { dispatcher, outcome } = start(60_000);
  dispatcher.handler?.onResponseError?.(controller().value, new Error("no connection"));
  expect(await outcome).toMatchObject({ reason: "failed", sent: false, partial: undefined });
});

test("a failure afterwards: it may have arrived, and counts as sent", async () => {
  const { dispatcher, outcome, sent } = start(60_000);
  dispatcher.handler?.onRequestStart?.(controller().value, {});
  dispatcher.handler?.onResponseError?.(controller().value, new Error("reset"));
  expect(await outcome).toMatchObject({ reason: "failed", sent: true, partial: undefined });
  expect(sent).toEqual(["sent"]);
});

test("an interim reply is not the reply", async () => {
  const { dispatcher, outcome } = start(60_000);
  const { value } = controller();
  dispatcher.handler?.onRequestStart?.(value, {});
  dispatcher.handler?.onResponseStart?.(value, 103, { link: "x" });
  dispatcher.handler?.onResponseStart?.(value, 200, { a: "1" });
  dispatcher.handler?.onResponseData?.(value, Buffer.from("ok"));
  dispatcher.handler?.onResponseEnd?.(value, {});
  expect(await outcome).toMatchObject({
    status: 200,
    headers: { a: "1" },
    body: Buffer.from("ok"),
  });
});

test("undici's own limits of five minutes are off", async () => {
  const { dispatcher, outcome } = start(60_000);
  dispatcher.handler?.onResponseError?.(controller().value, new Error("end"));
  await outcome;
  expect(dispatcher.options).toMatchObject({ headersTimeout: 0, bodyTimeout: 0, reset: true });
});
