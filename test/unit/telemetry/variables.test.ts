import { expect, it } from "vitest";
import { traceVariables } from "../../../src/telemetry/variables.ts";

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://localhost:4318" };
const nothing = { traceparent: undefined, tracestate: undefined };

it.each([
  ["nothing", {}, undefined],
  ["an empty endpoint", { OTEL_EXPORTER_OTLP_ENDPOINT: " " }, undefined],
  ["an endpoint", endpoint, { protocol: "http/protobuf", ...nothing }],
  [
    "an endpoint for traces",
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://otlp.example/v1/traces" },
    { protocol: "http/protobuf", ...nothing },
  ],
  [
    "a protocol of traces before that of all",
    {
      ...endpoint,
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
    },
    { protocol: "http/json", ...nothing },
  ],
  [
    "what began the run",
    { ...endpoint, TRACEPARENT: "00-1-2-01", TRACESTATE: "a=b" },
    { protocol: "http/protobuf", traceparent: "00-1-2-01", tracestate: "a=b" },
  ],
  ["that it is turned off", { ...endpoint, OTEL_SDK_DISABLED: "TRUE" }, undefined],
  ["that traces go nowhere", { ...endpoint, OTEL_TRACES_EXPORTER: "none" }, undefined],
  [
    "that traces go to several",
    { ...endpoint, OTEL_TRACES_EXPORTER: "console, otlp" },
    { protocol: "http/protobuf", ...nothing },
  ],
  [
    "a protocol that is not spoken",
    { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
    "the protocol grpc is not spoken: take http/protobuf or http/json",
  ],
  [
    "an endpoint that is no URL",
    { OTEL_EXPORTER_OTLP_ENDPOINT: "localhost:4318" },
    "the endpoint is no URL such as http://localhost:4318",
  ],
])("the environment says %s", (_, environment, expected) => {
  expect(traceVariables(environment)).toEqual(expected);
});
