/** OpenTelemetry: sends spans and metrics to a collector (OTLP over HTTP). Loaded only when one is named. */
import {
  ROOT_CONTEXT,
  SpanKind as Kind,
  SpanStatusCode,
  trace,
  TraceFlags,
  ValueType,
} from "@opentelemetry/api";
import type { Attributes, HrTime, SpanContext } from "@opentelemetry/api";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  DataPointType,
  MeterProvider,
  PeriodicExportingMetricReader,
  type DataPoint,
  type HistogramMetricData,
  type MetricData,
} from "@opentelemetry/sdk-metrics";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { MINUTE_MS, type Clock } from "./clock.ts";
import type { Log } from "./log.ts";
import { outsideWork, type SpanKind, type Tracer } from "./trace.ts";

/** Where spans and metrics go, and how many. */
export interface TelemetrySettings {
  /** The collector's address without `/v1/traces`. */
  readonly endpoint: string;
  /** Sent with each export, such as a key for the collector. */
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** Of traces that begin here, from 0 to 1; those that a caller has begun follow the caller. */
  readonly sampled: number;
  readonly metricsEveryMs: number;
  /** How long a finished span waits for others, at most. */
  readonly spansEveryMs: number;
}

/** A metric with its values, as the registry of http/metrics.ts lists it. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly values: readonly {
    readonly value: number;
    readonly labels: Readonly<Record<string, string | number | undefined>>;
    readonly metricName?: string;
  }[];
}

export interface Telemetry {
  readonly tracer: Tracer;
  /** Sends what is left, for a few seconds at most. */
  close(): Promise<void>;
}

interface Parts {
  readonly clock: Clock;
  readonly log: Log;
  /** Tells this process from others of the service. */
  readonly instance: string;
  /** All metrics; a scrape and an export show the same. */
  readonly families: () => Promise<readonly Family[]>;
}

/** A collector that does not answer costs this much memory and no request: what does not fit is dropped. */
const SPANS_WAITING_MAX = 4_096;
const EXPORT_MS_MAX = 5_000;
const CLOSE_MS_MAX = 3_000;

const KINDS: Readonly<Record<SpanKind, Kind>> = {
  server: Kind.SERVER,
  client: Kind.CLIENT,
  internal: Kind.INTERNAL,
};

/** Starts to send. Nothing here throws later, whatever the collector does. */
export function openTelemetry(settings: TelemetrySettings, parts: Parts): Telemetry {
  const { endpoint, headers, serviceName, sampled } = settings;
  const resource = resourceFromAttributes({
    "service.name": serviceName,
    "service.instance.id": parts.instance,
  });
  const connection = { headers: { ...headers }, timeoutMillis: EXPORT_MS_MAX };
  const spanExporter = watched(
    new OTLPTraceExporter({ ...connection, url: `${endpoint}/v1/traces` }),
    "spans",
    parts,
  );
  const provider = new TracerProvider({
    resource,
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampled) }),
    spanLimits: { attributeValueLengthLimit: 256, attributeCountLimit: 32 },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: spanExporter,
        maxQueueSize: SPANS_WAITING_MAX,
        scheduledDelayMillis: settings.spansEveryMs,
        exportTimeoutMillis: EXPORT_MS_MAX,
      }),
    ],
  });
  const metricExporter = watched(
    new OTLPMetricExporter({ ...connection, url: `${endpoint}/v1/metrics` }),
    "metrics",
    parts,
  );
  const since = hrTime(parts.clock.now());
  const meters = new MeterProvider({
    resource,
    readers: [
      new PeriodicExportingMetricReader({
        exporter: metricExporter,
        exportIntervalMillis: settings.metricsEveryMs,
        exportTimeoutMillis: Math.min(EXPORT_MS_MAX, settings.metricsEveryMs),
        metricProducers: [
          {
            collect: async () => ({
              resourceMetrics: {
                resource,
                scopeMetrics: [scopeOf(await parts.families(), since, parts.clock)],
              },
              errors: [],
            }),
          },
        ],
      }),
    ],
  });
  const tracer = provider.getTracer("payment-session-service");
  return {
    tracer: {
      begin(name, kind, parent, fields) {
        const context =
          parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, contextOf(parent));
        const span = tracer.startSpan(name, { kind: KINDS[kind], attributes: { ...fields } }, context);
        const { traceId, spanId, traceFlags } = span.spanContext();
        return {
          traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`,
          set: (more) => void span.setAttributes({ ...more }),
          end(error) {
            if (error !== undefined) {
              span.setStatus({ code: SpanStatusCode.ERROR });
              span.setAttribute("error.type", kindOf(error));
            }
            // The timer of the batch must not keep the names of the request that has started it.
            outsideWork(() => span.end());
          },
        };
      },
    },
    async close() {
      const ended = Promise.allSettled([provider.shutdown(), meters.shutdown()]);
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, CLOSE_MS_MAX);
      await Promise.race([ended, late]);
      clearTimeout(timer);
    },
  };
}

function contextOf(traceparent: string): SpanContext {
  const [, traceId = "", spanId = "", flags = "00"] = traceparent.split("-");
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  return { traceId, spanId, traceFlags, isRemote: true };
}

/** A message may quote a row or a request, so only the kind of an error goes out. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const code = "code" in error && typeof error.code === "string" ? error.code : null;
  const kind = "kind" in error && typeof error.kind === "string" ? error.kind : null;
  return kind ?? code ?? error.name;
}

interface Exporter<Items> {
  export(items: Items, done: (result: { readonly code: number; readonly error?: Error }) => void): void;
}

/** Logs that the collector refuses data, once a minute at most. */
function watched<Items, E extends Exporter<Items>>(exporter: E, what: string, { clock, log }: Parts): E {
  let quietUntilMs = Number.NEGATIVE_INFINITY;
  const send = exporter.export.bind(exporter);
  exporter.export = (items, done) =>
    send(items, (result) => {
      const nowMs = clock.monotonicMs();
      if (result.code !== 0 && nowMs >= quietUntilMs) {
        quietUntilMs = nowMs + MINUTE_MS;
        outsideWork(() =>
          log.warn("the OpenTelemetry collector accepted nothing", { what, reason: kindOf(result.error) }),
        );
      }
      done(result);
    });
  return exporter;
}

function scopeOf(families: readonly Family[], since: HrTime, clock: Clock) {
  const at = { since, now: hrTime(clock.now()) };
  return {
    scope: { name: "payment-session-service" },
    metrics: families.flatMap((family) => metricOf(family, at) ?? []),
  };
}

interface Times {
  readonly since: HrTime;
  readonly now: HrTime;
}

/** Null for a kind that has no counterpart. */
function metricOf(family: Family, at: Times): MetricData | null {
  const about = {
    descriptor: { name: family.name, description: family.help, unit: "", valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const points = () =>
    family.values
      .map(({ value, labels }) => pointOf(value, labels, at))
      .filter(({ value }) => Number.isFinite(value));
  switch (family.type) {
    case "counter":
      return { ...about, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points() };
    case "gauge":
      return { ...about, dataPointType: DataPointType.GAUGE, dataPoints: points() };
    case "histogram":
      return { ...about, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms(family, at) };
    default:
      return null;
  }
}

function pointOf<T>(
  value: T,
  labels: Family["values"][number]["labels"],
  { since, now }: Times,
): DataPoint<T> {
  const attributes: Attributes = {};
  for (const [name, label] of Object.entries(labels)) if (label !== undefined) attributes[name] = label;
  return { startTime: since, endTime: now, attributes, value };
}

/** Prometheus counts each bucket with those below it, OTLP alone. */
function histograms({ name, values }: Family, at: Times): HistogramMetricData["dataPoints"] {
  const series = Map.groupBy(values, ({ labels: { le: _, ...own } }) => JSON.stringify(own));
  return [...series.values()].flatMap((members) => {
    const [first] = members;
    if (first === undefined) return [];
    const { le: _, ...labels } = first.labels;
    const buckets = members.filter(({ labels: { le } }) => le !== undefined);
    const counts = buckets.map(({ value }, index) => value - (buckets[index - 1]?.value ?? 0));
    const boundaries = buckets.flatMap(({ labels: { le } }) => (le === "+Inf" ? [] : [Number(le)]));
    const figure = (suffix: string) =>
      members.find(({ metricName }) => metricName === `${name}_${suffix}`)?.value ?? 0;
    const value = { buckets: { boundaries, counts }, sum: figure("sum"), count: figure("count") };
    return [pointOf(value, labels, at)];
  });
}

function hrTime(at: Date): HrTime {
  const ms = at.getTime();
  return [Math.floor(ms / 1_000), (ms % 1_000) * 1_000_000];
}
