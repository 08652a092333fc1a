/** What a collector gets by HTTP, and what is said when there is none. */

import { once } from "node:events";
import { createServer } from "node:http";
import { trace } from "@opentelemetry/api";
import { expect, it } from "vitest";
import { openExporter } from "../../../src/telemetry/exporter.ts";
import type { TraceVariables } from "../../../src/telemetry/variables.ts";

type Received = { readonly path: string; readonly type: string; readonly body: Buffer };

/** Sends one span, and gives what a collector received of it. */
async function exported(
  variables: Partial<TraceVariables>,
  status = 200,
): Promise<{ readonly received: readonly Received[]; readonly problem: string | undefined }> {
  const received: Received[] = [];
  const server = createServer((request, reply) => {
    const { url: path = "", headers } = request;
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      received.push({ path, type: headers["content-type"] ?? "", body: Buffer.concat(chunks) });
      reply.writeHead(status, { "content-type": "application/json" }).end("{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  process.env["OTEL_EXPORTER_OTLP_ENDPOINT"] = `http://127.0.0.1:${port}`;
  process.env["OTEL_RESOURCE_ATTRIBUTES"] = "service.name=lab,deployment.environment.name=test";
  try {
    const given = { protocol: "http/json", traceparent: undefined, tracestate: undefined } as const;
    const { tracer, parent, end } = await openExporter({ ...given, ...variables }, "1.2.3");
    const outer = tracer.startSpan("outer", {}, parent);
    tracer.startSpan("inner", {}, trace.setSpan(parent, outer)).end();
    outer.end();
    return { received, problem: await end() };
  } finally {
    delete process.env["OTEL_EXPORTER_OTLP_ENDPOINT"];
    delete process.env["OTEL_RESOURCE_ATTRIBUTES"];
    server.close();
  }
}

it("spans are sent as JSON, in the trace that began the run", async () => {
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
  const { received, problem } = await exported({ traceparent });
  expect(problem).toBeUndefined();
  expect(received).toHaveLength(1);
  const [{ path, body } = { path: "", body: Buffer.of() }] = received;
  expect(path).toBe("/v1/traces");
  const sent: unknown = JSON.parse(body.toString());
  const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } });
  expect(sent).toMatchObject({
    resourceSpans: [
      {
        resource: {
          attributes: expect.arrayContaining([
            attribute("service.name", "lab"),
            attribute("service.version", "1.2.3"),
            attribute("deployment.environment.name", "test"),
          ]),
        },
        scopeSpans: [
          {
            spans: [
              { name: "inner", traceId },
              { name: "outer", traceId, parentSpanId: "b7ad6b7169203331" },
            ],
          },
        ],
      },
    ],
  });
});

it("spans are sent as Protocol Buffers", async () => {
  const { received } = await exported({ protocol: "http/protobuf" });
  expect(received.map(({ path, type }) => [path, type])).toEqual([
    ["/v1/traces", "application/x-protobuf"],
  ]);
  expect(received[0]?.body.includes("outer"), "the name stands in it as it is").toBe(true);
});

it("a collector that refuses is told of", async () => {
  const { received, problem } = await exported({}, 400);
  expect(received).toHaveLength(1);
  expect(problem).toBe("Bad Request");
});
