/** Errors: what the server's words and statuses mean, and what they prove. */

import { describe, expect, test } from "vitest";
import type { CallClass, HttpReply } from "../../../../../src/http/call.ts";
import { parseXml } from "../../../../../src/lib/xml/xml-reader.ts";
import type { RemoteError } from "../../../../../src/model/operation/remote-error.ts";
import { readFault } from "../../../../../src/providers/cloud/client/fault.ts";
import {
  cloudError,
  readDocument,
  serverDateMs,
} from "../../../../../src/providers/cloud/client/reply.ts";
import { errorXml, neutralWords } from "../scripted-cloud.ts";

function replyOf(status: number, text: string, headers: HttpReply["headers"] = {}): HttpReply {
  return { status, headers, setCookies: [], text };
}

function errorOf(status: number, minor: string, message: string): RemoteError {
  return cloudError(replyOf(status, errorXml(neutralWords, status, minor, message)), "mutate");
}

describe("the server's own errors", () => {
  const off = 'The requested operation could not be executed since VM "X" is not powered on.';
  const uuid = "0a1b2c3d-0000-1111-2222-333344445555";
  test.each([
    [400, "BUSY_ENTITY", "The entity X is busy completing an operation.", "busy", "none"],
    [
      400,
      "BUSY_ENTITY",
      `The entity Ref: vm:${uuid} is busy completing an operation X.`,
      "busy",
      "none",
    ],
    [
      400,
      "BAD_REQUEST",
      "The entity X is busy, cannot proceed with the operation.",
      "busy",
      "none",
    ],
    [500, "BUSY_ENTITY", "The entity X is busy completing an operation.", "busy", "none"],
    [400, "BAD_REQUEST", off, "precondition", "none"],
    [400, "BAD_REQUEST", `[ ${uuid} ] ${off}`, "precondition", "none"],
    [
      400,
      "BAD_REQUEST",
      'since vApp "X" does not have any powered on VMs.',
      "precondition",
      "none",
    ],
    [400, "BAD_REQUEST", 'on vApp "X". Stop the vApp and try again.', "precondition", "none"],
    [400, "BAD_REQUEST", "is not supported since the VM is disconnected.", "precondition", "none"],
    [
      400,
      "BAD_REQUEST",
      "The operation will exceed the VDC's storage quota.",
      "precondition",
      "none",
    ],
    [400, "BAD_REQUEST", "validation error on field 'id'", "invalid", "none"],
    [400, "DUPLICATE_NAME", "The VCD entity X already exists.", "conflict", "none"],
    [403, "ACCESS_TO_RESOURCE_IS_FORBIDDEN", "No access to entity", "forbidden", "none"],
    [400, "ACCESS_TO_RESOURCE_IS_FORBIDDEN", "No access to entity", "forbidden", "none"],
    [406, "NOT_ACCEPTABLE", "Supported API versions are: [1.5, 5.1]", "invalid", "none"],
    [400, "BAD_REQUEST", "The request has invalid accept header.", "invalid", "none"],
    [401, "", "", "unauthorized", "none"],
    [404, "RESOURCE_NOT_FOUND", "unknown", "not-found", "none"],
    [404, "", "unknown", "not-found", "none"],
    [405, "METHOD_NOT_ALLOWED", "no", "invalid", "none"],
    [409, "CONFLICT", "no", "precondition", "none"],
    [429, "", "slower", "throttled", "none"],
    [408, "", "too slow", "timeout", "unknown"],
    [500, "INTERNAL_SERVER_ERROR", "Unable to perform this action.", "protocol", "unknown"],
    [503, "", "later", "unavailable", "unknown"],
    [504, "", "gateway", "unavailable", "unknown"],
  ])("%i %s %s is %s", (status, minor, message, kind, effect) => {
    expect(errorOf(status, minor, message)).toMatchObject({ kind, effect, status });
  });

  test("are told in the server's words, without its noise", () => {
    const { message } = errorOf(400, "BAD_REQUEST", `[ ${uuid} ] name "X" &\n is bad`);
    expect(message).toBe('the cloud answered 400 BAD_REQUEST: name "X" & is bad');
  });

  test.each([
    [
      406,
      "NOT_ACCEPTABLE",
      "Supported API versions are: [1.5, 5.1]",
      /\[1\.5, 5\.1\].*set api_version/,
    ],
    [400, "BAD_REQUEST", "The request has invalid accept header.", /set api_version/],
    [403, "ACCESS_TO_RESOURCE_IS_FORBIDDEN", "No access", /does not exist, or .* no right/],
  ])("%i %s shows the way out", (status, minor, message, hint) => {
    expect(errorOf(status, minor, message).message).toMatch(hint);
  });

  test("a task's error is read without its stack trace", () => {
    const element = parseXml(
      errorXml(neutralWords, 500, "INTERNAL_SERVER_ERROR", "[ x ] No tools."),
    );
    expect(readFault(element)).toEqual({
      major: 500,
      minor: "INTERNAL_SERVER_ERROR",
      message: "No tools.",
    });
    expect(readFault(parseXml('<Error majorErrorCode="x"/>'))).toEqual({ minor: "", message: "" });
  });
});

describe("answers of something else", () => {
  const html = "<html><body>Bad gateway</body></html>";
  test.each<[number, string, CallClass, string, string, RegExp]>([
    [502, html, "mutate", "unavailable", "unknown", /status 502, an HTML page: .*Bad gateway/],
    [503, html, "read", "unavailable", "none", /status 503/],
    [500, "", "mutate", "protocol", "unknown", /status 500, empty body/],
    [403, "", "mutate", "forbidden", "none", /status 403, empty body/],
    [404, html, "mutate", "not-found", "unknown", /status 404/],
    [400, "<Error mess", "mutate", "invalid", "unknown", /status 400, body: <Error mess/],
  ])("%i %j to a %s", (status, text, callClass, kind, effect, message) => {
    const error = cloudError(replyOf(status, text), callClass);
    expect(error).toMatchObject({ kind, effect, status });
    expect(error.message).toMatch(message);
  });
});

describe("documents", () => {
  test.each<[string, CallClass, string, RegExp]>([
    ["", "read", "none", /status 200, empty body instead of XML$/],
    ["<html><body>Sign in<br></body></html>", "read", "none", /an HTML page: <html>/],
    ["<Task status='run", "mutate", "unknown", /body: <Task status='run instead of XML \(1:/],
    ["<a/><b/>", "mutate", "unknown", /instead of XML/],
    ["<!DOCTYPE a><a/>", "read", "none", /instead of XML/],
  ])("%j is no document", (text, callClass, effect, message) => {
    const read = (): unknown => readDocument(replyOf(200, text), callClass);
    expect(read).toThrow(message);
    expect(read).toThrow(expect.objectContaining({ kind: "protocol", effect, status: 200 }));
  });

  test("an error under a status of success is an error", () => {
    const text = errorXml(neutralWords, 400, "BUSY_ENTITY", "X is busy completing an operation");
    expect(() => readDocument(replyOf(200, text), "read")).toThrow(
      expect.objectContaining({ kind: "busy", status: 400 }),
    );
  });

  test.each([
    ["Thu, 22 May 2014 14:39:26 GMT", Date.UTC(2014, 4, 22, 14, 39, 26)],
    [
      "Thu, 22 May 2014 14:39:26 GMT, Thu, 22 May 2014 14:39:27 GMT",
      Date.UTC(2014, 4, 22, 14, 39, 26),
    ],
    ["yesterday", undefined],
  ])("the date %j", (date, ms) => {
    expect(serverDateMs({ headers: { date } })).toBe(ms);
    expect(readDocument(replyOf(200, "<a/>", { date }), "read").dateMs).toBe(ms);
  });
});
