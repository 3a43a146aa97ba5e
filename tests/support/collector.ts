/** An OpenTelemetry collector: accepts OTLP over HTTP as JSON, stores it, and fails on demand. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: number;
  readonly failed: boolean;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** The process that sent it. */
  readonly instance: string;
}

export interface Collector {
  /** The base URL, without `/v1/…`. */
  readonly endpoint: string;
  readonly spans: readonly CollectedSpan[];
  /** The metrics of the newest export, by name. */
  readonly metrics: ReadonlyMap<string, OtlpMetric>;
  /** All requests, unchanged. */
  readonly bodies: readonly string[];
  readonly headers: readonly Readonly<Record<string, unknown>>[];
  /** The response to requests from now on. */
  answer: (response: ServerResponse) => void;
  /** Resolves once a matching span has arrived. */
  span(fits: (span: CollectedSpan) => boolean): Promise<CollectedSpan>;
  close(): Promise<void>;
}

export interface OtlpMetric {
  readonly name: string;
  readonly sum?: { readonly dataPoints: readonly OtlpPoint[]; readonly isMonotonic: boolean };
  readonly gauge?: { readonly dataPoints: readonly OtlpPoint[] };
  readonly histogram?: { readonly dataPoints: readonly OtlpPoint[] };
}

interface OtlpPoint {
  readonly attributes: readonly OtlpAttribute[];
  readonly asDouble?: number;
  readonly asInt?: number | string;
  readonly count?: number | string;
  readonly sum?: number;
  readonly bucketCounts?: readonly (number | string)[];
  readonly explicitBounds?: readonly number[];
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

const WAIT_MS_MAX = 60_000;

export const taken: Collector["answer"] = (response) =>
  response.writeHead(200, { "content-type": "application/json" }).end("{}");

export async function startCollector(port = 0): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const metrics = new Map<string, OtlpMetric>();
  const bodies: string[] = [];
  const headers: Readonly<Record<string, unknown>>[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("error", () => {});
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      bodies.push(body);
      headers.push(request.headers);
      const given = JSON.parse(body);
      if (request.url === "/v1/traces") spans.push(...spansOf(given));
      if (request.url === "/v1/metrics")
        for (const metric of metricsOf(given)) metrics.set(metric.name, metric);
      collector.answer(response);
    });
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  const collector: Collector = {
    endpoint: `http://127.0.0.1:${address.port}`,
    spans,
    metrics,
    bodies,
    headers,
    answer: taken,
    async span(fits) {
      for (let waitedMs = 0; waitedMs < WAIT_MS_MAX; waitedMs += 25) {
        const found = spans.find(fits);
        if (found !== undefined) return found;
        await new Promise((resolve) => {
          setTimeout(resolve, 25);
        });
      }
      throw new Error(`There was no such span, but: ${spans.map(({ name }) => name).join(", ")}`);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return collector;
}

/* eslint-disable typescript/no-explicit-any */
function spansOf(given: any): CollectedSpan[] {
  return given.resourceSpans.flatMap((of: any) =>
    of.scopeSpans.flatMap((scope: any) =>
      scope.spans.map((span: any) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? "",
        name: span.name,
        kind: span.kind,
        failed: span.status?.code === 2,
        attributes: attributesOf(span.attributes),
        instance: String(attributesOf(of.resource.attributes)["service.instance.id"]),
      })),
    ),
  );
}

function metricsOf(given: any): OtlpMetric[] {
  return given.resourceMetrics.flatMap((of: any) => of.scopeMetrics.flatMap((scope: any) => scope.metrics));
}

export function attributesOf(all: readonly OtlpAttribute[]): Record<string, unknown> {
  return Object.fromEntries(all.map(({ key, value }) => [key, Object.values(value)[0]]));
}
