/**
 * What the process is working on: the fields in its log lines, and the trace that it belongs to. It follows
 * asynchronous calls. Without a tracer only the fields are kept.
 */
import { AsyncLocalStorage } from "node:async_hooks";

/** The fields of the work in progress in log lines and spans. Never personal data, never a secret. */
interface Subject {
  readonly request_id?: string;
  readonly tenant?: number;
  readonly session_id?: string;
  readonly merchant_transaction_id?: string;
  readonly trace_id?: string;
}

type SpanFields = Readonly<Record<string, string | number | boolean>>;

/** `server` is an incoming request, `client` an outgoing call, `internal` neither. */
export type SpanKind = "server" | "client" | "internal";

interface Span {
  /** In the format of W3C Trace Context: version, trace id, span id, flags. */
  readonly traceparent: string;
  set(fields: SpanFields): void;
  /** @param error what went wrong; only its kind is recorded, as messages may quote data. */
  end(error?: unknown): void;
}

/** Records spans; created by lib/telemetry.ts. */
export interface Tracer {
  /** @param parent a traceparent, or null to begin a trace. */
  begin(name: string, kind: SpanKind, parent: string | null, fields: SpanFields): Span;
}

/** A unit of work: a request, a pass of a job, one delivery. */
export interface Work {
  /** Grows while the work is in progress. */
  subject: Subject;
  readonly span: Span | null;
  readonly tracer: Tracer | null;
  /** Its steps are not recorded as spans: passes of jobs, which look for work far more often than they find any. */
  readonly quiet: boolean;
}

interface Start {
  readonly name: string;
  readonly kind?: SpanKind;
  /** The traceparent to continue; null begins a trace. */
  readonly parent: string | null;
  readonly subject?: Subject;
  readonly fields?: SpanFields;
  readonly quiet?: boolean;
}

const here = new AsyncLocalStorage<Work | undefined>();

/** Begins work that does not end with a function; `insideWork` enters it, `span.end` ends it. */
export function startWork(tracer: Tracer | null, { name, kind = "internal", parent, ...start }: Start): Work {
  const { subject = {}, fields = {}, quiet = false } = start;
  if (tracer === null) return { subject, span: null, tracer, quiet };
  const span = tracer.begin(name, kind, parent, { ...fields, ...attributesOf(subject) });
  return { subject: { ...subject, trace_id: traceIdOf(span.traceparent) }, span, tracer, quiet };
}

/** Runs something as part of the work. */
export function insideWork<T>(work: Work, run: () => T): T {
  return here.run(work, run);
}

/** Runs something outside of the work in progress, such as what outlives it. */
export function outsideWork<T>(run: () => T): T {
  return here.run(undefined, run);
}

/** Runs work from start to end. */
export function runWork<T>(tracer: Tracer | null, start: Start, run: (work: Work) => Promise<T>): Promise<T> {
  const work = startWork(tracer, start);
  return here.run(work, () => (work.span === null ? run(work) : ended(work.span, run(work))));
}

/** The same inside other work that has found it: a payment resumed by a job continues the payment's own trace. */
export function continueWork<T>(start: Start, run: () => Promise<T>): Promise<T> {
  return runWork(here.getStore()?.tracer ?? null, start, run);
}

/** Runs a step of the work in progress as its own span, if the work has one. */
export function traced<T>(
  name: string,
  kind: SpanKind,
  fields: SpanFields,
  run: (span: Span | null) => Promise<T>,
): Promise<T> {
  const work = here.getStore();
  if (work === undefined || work.quiet || work.span === null || work.tracer === null) return run(null);
  const span = work.tracer.begin(name, kind, work.span.traceparent, {
    ...fields,
    ...attributesOf(work.subject),
  });
  return here.run(step(work, span), () => ended(span, run(span)));
}

/** Runs something that both a request and a job may start: a step of the former, its own trace in the latter. */
export function asStepOrTrace<T>(
  name: string,
  tenant: number,
  fields: SpanFields,
  run: () => Promise<T>,
): Promise<T> {
  const work = here.getStore();
  if (work !== undefined && !work.quiet) return traced(name, "internal", fields, run);
  return continueWork({ name, parent: null, subject: { tenant }, fields }, run);
}

/** Records a statement as a step: its name only, never its values. */
export function tracedStatement<T>(name: string, run: () => Promise<T>): Promise<T> {
  if (currentTraceparent() === null) return run();
  return traced(name, "client", { "db.system.name": "postgresql", "db.operation.name": name }, run);
}

/** Adds fields to the work in progress, for the log lines and spans that follow. */
export function addSubject(subject: Subject): void {
  const work = here.getStore();
  if (work === undefined) return;
  work.subject = { ...work.subject, ...subject };
  work.span?.set(attributesOf(subject));
}

/** The fields of the work in progress. */
export function currentSubject(): Subject {
  return here.getStore()?.subject ?? {};
}

/** The traceparent to store with work that continues later, or to send to another server; null without a trace. */
export function currentTraceparent(): string | null {
  return here.getStore()?.span?.traceparent ?? null;
}

/** The header of a call to another server. */
export function traceHeaders(): Readonly<Record<string, string>> {
  const traceparent = currentTraceparent();
  return traceparent === null ? {} : { traceparent };
}

const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Parses a caller's traceparent; null if it is invalid. */
export function readTraceparent(header: string | string[] | undefined): string | null {
  return typeof header === "string" && TRACEPARENT.test(header) ? header : null;
}

/** A step adds its fields to the work that it is part of. */
function step(work: Work, span: Span): Work {
  return {
    get subject() {
      return work.subject;
    },
    set subject(subject) {
      work.subject = subject;
    },
    span,
    tracer: work.tracer,
    quiet: work.quiet,
  };
}

async function ended<T>(span: Span, running: Promise<T>): Promise<T> {
  try {
    const result = await running;
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}

function traceIdOf(traceparent: string): string {
  return traceparent.slice(3, 35);
}

/** Fields as span attributes. */
function attributesOf({ tenant, session_id, merchant_transaction_id, request_id }: Subject): SpanFields {
  return {
    ...(tenant === undefined ? {} : { "payments.tenant": tenant }),
    ...(session_id === undefined ? {} : { "payments.session_id": session_id }),
    ...(merchant_transaction_id === undefined
      ? {}
      : { "payments.merchant_transaction_id": merchant_transaction_id }),
    ...(request_id === undefined ? {} : { "payments.request_id": request_id }),
  };
}
