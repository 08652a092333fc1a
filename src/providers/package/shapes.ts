/** What a provider package may give back, as JSON Schemas that the door holds answers against. */

import { disruptions } from "../../model/operation/disruption.ts";

const text = { type: "string", minLength: 1 };
const texts = { type: "array", items: text };
const flag = { type: "boolean" };
const map = { type: "object" };
const ms = { type: "number", minimum: 0 };
const only = (value: string | boolean): object => ({ const: value });

function object(properties: { readonly [name: string]: object }, required: readonly string[]) {
  return { type: "object", additionalProperties: false, required, properties };
}

function listOf(items: object): object {
  return { type: "array", items };
}

function unless(shape: object): object {
  return { anyOf: [shape, { type: "null" }] };
}

const disrupts = listOf({ enum: disruptions });
const position = object({ file: text, line: ms, column: ms, text, length: ms }, ["file"]);
const said = {
  severity: { enum: ["error", "warning"] },
  code: { type: "string", pattern: "^[A-Z]{3,}[0-9]{3,}$" },
  summary: text,
  detail: text,
  fix: text,
};
const saidRequired = ["severity", "code", "summary", "detail"];

const expectation = {
  anyOf: [
    object({ existence: { enum: ["found", "missing"] } }, ["existence"]),
    object({ attribute: text, equals: {} }, ["attribute", "equals"]),
    object({ attribute: text, atLeast: {} }, ["attribute", "atLeast"]),
    object({ attribute: text, present: only(true) }, ["attribute", "present"]),
  ],
};

const step = object(
  {
    verb: { type: "string", pattern: "^[a-z][a-z0-9-]*$" },
    summary: text,
    effect: { enum: ["create", "update", "delete"] },
    disrupts,
    request: object(
      {
        inputs: map,
        repeat: { enum: ["safe", "unsafe"] },
        unneededBy: object({ attribute: text, equals: {}, why: text }, [
          "attribute",
          "equals",
          "why",
        ]),
      },
      ["inputs", "repeat"],
    ),
    order: object({ afterPrevious: flag, pools: texts, long: flag }, []),
    proof: object(
      {
        expect: listOf(expectation),
        unobservable: flag,
        lagging: flag,
        lagMs: ms,
        unmetAdvice: text,
        readBack: texts,
        requestLimitMs: ms,
      },
      ["expect"],
    ),
    applied: map,
  },
  ["verb", "summary", "effect", "request", "proof", "applied"],
);

const discovered = object({ type: text, identity: text, name: text }, ["type", "identity"]);
const reasons = { type: "object", additionalProperties: text };

const observation = {
  anyOf: [
    object(
      {
        status: only("found"),
        identity: text,
        attributes: map,
        unreadable: { type: "object", additionalProperties: { enum: ["by rule", "failed"] } },
        reasons,
      },
      ["status", "identity", "attributes", "unreadable"],
    ),
    object({ status: only("missing"), proof: text, another: only(true), instead: only(true) }, [
      "status",
      "proof",
    ]),
    object(
      {
        status: only("unreadable"),
        rule: { enum: ["by rule", "failed"] },
        reason: text,
        matches: texts,
        endpoint: only(true),
        unset: only(true),
        knownBy: map,
      },
      ["status", "rule", "reason"],
    ),
  ],
};

const told = { attributes: map, message: text };

export const shapes = {
  text,
  texts,
  flag,
  ms,
  nothing: {},
  map,
  perhapsText: unless(text),
  perhapsNumber: unless(ms),
  objections: listOf(object(said, saidRequired)),
  diagnostics: listOf(object({ ...said, address: text, source: position }, saidRequired)),
  steps: listOf(step),
  preview: unless(object({ method: text, path: text, contentType: text, body: {} }, ["method"])),
  observations: listOf(observation),
  discovered: listOf(discovered),
  sendResult: unless(object({ ...told, handle: {} }, [])),
  taskStatus: {
    anyOf: [
      object({ status: only("running"), progress: ms, word: text }, ["status", "word"]),
      object({ status: only("success"), ...told }, ["status"]),
      object({ status: only("failed"), message: text, attributes: map }, ["status", "message"]),
      object({ status: only("vanished") }, ["status"]),
    ],
  },
  facts: listOf({
    anyOf: [
      object({ status: only("read"), facts: map }, ["status", "facts"]),
      object({ status: only("failed"), reason: text }, ["status", "reason"]),
    ],
  }),
  outlook: object({ remarks: texts, disrupts, needless: text, subject: {} }, []),
  ticket: object({ url: text, host: text, ticket: text, validMs: ms }, [
    ...["url", "host", "ticket", "validMs"],
  ]),
} as const;
