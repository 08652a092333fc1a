/**
 * Where spans go: by OTLP over HTTP to the collector that the variables of OpenTelemetry name
 * (`OTEL_EXPORTER_OTLP_…`, which the exporter reads itself).
 */

import { type Context, defaultTextMapGetter, ROOT_CONTEXT, type Tracer } from "@opentelemetry/api";
import { setGlobalErrorHandler, W3CTraceContextPropagator } from "@opentelemetry/core";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from "@opentelemetry/sdk-trace";
import type { TraceVariables } from "./variables.ts";

export type Exporting = {
  readonly tracer: Tracer;
  /** What the run was started by. */
  readonly parent: Context;
  /** Sends what is left. Resolves to why not all could be sent, once that is known. */
  readonly end: () => Promise<string | undefined>;
};

/** A run is not kept waiting for a collector, whatever `OTEL_EXPORTER_OTLP_TIMEOUT` says. */
const sendMs = 3_000;
const endMs = 4_000;
/** Spans that wait to be sent. What comes beyond is lost, so it is far above what a run has. */
const queueMax = 200_000;

export async function openExporter(
  { protocol, traceparent, tracestate }: TraceVariables,
  version: string,
): Promise<Exporting> {
  let problem: string | undefined;
  setGlobalErrorHandler((error) => {
    problem ??= typeof error === "string" ? error : reasonOf(error);
  });
  const exporter = await exporterFor(protocol);
  const ours = { "service.name": "vmform", "service.version": version };
  const provider = new TracerProvider({
    // What the environment says of the service counts more.
    resource: resourceFromAttributes(ours).merge(detectResources({ detectors: [envDetector] })),
    forceFlushTimeoutMillis: endMs,
    spanProcessors: [
      new BatchSpanProcessor({ exporter, exportTimeoutMillis: endMs, maxQueueSize: queueMax }),
    ],
  });
  const carrier = {
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(tracestate === undefined ? {} : { tracestate }),
  };
  const propagator = new W3CTraceContextPropagator();
  return {
    tracer: provider.getTracer("vmform", version),
    parent: propagator.extract(ROOT_CONTEXT, carrier, defaultTextMapGetter),
    end: async () => {
      const ended = provider.shutdown().then(
        () => problem,
        (error: unknown) => problem ?? reasonOf(error),
      );
      return Promise.race([ended, late(() => problem)]);
    },
  };
}

/** The two ways of OTLP over HTTP; each is a package of its own. */
async function exporterFor(protocol: TraceVariables["protocol"]): Promise<SpanExporter> {
  if (protocol === "http/json") {
    const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-http");
    return new OTLPTraceExporter({ timeoutMillis: sendMs });
  }
  const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-proto");
  return new OTLPTraceExporter({ timeoutMillis: sendMs });
}

function late(problem: () => string | undefined): Promise<string> {
  return new Promise((resolve) => {
    const timer = setTimeout(
      () => resolve(problem() ?? `the collector has not taken them within ${endMs / 1000} s`),
      endMs,
    );
    timer.unref();
  });
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(", ");
  return error instanceof Error ? error.message : JSON.stringify(error);
}
