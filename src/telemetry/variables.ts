/** Whether a run is traced, as the variables of OpenTelemetry say. Loads nothing. */

export type TraceVariables = {
  readonly protocol: "http/protobuf" | "http/json";
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
};

type Environment = { readonly [name: string]: string | undefined };

/**
 * Undefined where nothing asks for traces: no endpoint is named, or they are turned off. A text
 * says why what is asked for cannot be done.
 */
export function traceVariables(environment: Environment): TraceVariables | string | undefined {
  const given = (name: string): string | undefined => {
    const value = environment[name]?.trim();
    return value === "" ? undefined : value;
  };
  const endpoint =
    given("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") ?? given("OTEL_EXPORTER_OTLP_ENDPOINT");
  if (endpoint === undefined) return undefined;
  if (given("OTEL_SDK_DISABLED")?.toLowerCase() === "true") return undefined;
  const exporters = (given("OTEL_TRACES_EXPORTER") ?? "otlp").split(",").map((name) => name.trim());
  if (!exporters.includes("otlp")) return undefined;
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol)) {
    return `the endpoint is no URL such as http://localhost:4318`;
  }
  const protocol =
    given("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") ??
    given("OTEL_EXPORTER_OTLP_PROTOCOL") ??
    "http/protobuf";
  if (protocol !== "http/protobuf" && protocol !== "http/json") {
    return `the protocol ${protocol} is not spoken: take http/protobuf or http/json`;
  }
  return { protocol, traceparent: given("TRACEPARENT"), tracestate: given("TRACESTATE") };
}
