/**
 * What the process is working on: the names that its log lines carry, and the trace that it belongs to. It follows the calls,
 * across awaits. Without a tracer only the names are kept.
 */
import { AsyncLocalStorage } from "node:async_hooks";

/** The names of the work under way in log lines and spans. Never personal data, never a secret. */
interface Subject {
  readonly request_id?: string;
  readonly tenant?: number;
  readonly session_id?: string;
  readonly merchant_transaction_id?: string;
  readonly trace_id?: string;
}

type SpanFields = Readonly<Record<string, string | number | boolean>>;

/** Who asks: `server` is a request that came in, `client` a call that goes out, `internal` neither. */
export type SpanKind = "server" | "client" | "internal";

interface Span {
  /** As W3C Trace Context writes it: version, trace id, span id, flags. */
  readonly traceparent: string;
  set(fields: SpanFields): void;
  /** @param error what went wrong: of it only the kind is kept, as messages may quote what they are about. */
  end(error?: unknown): void;
}

/** Records spans. lib/telemetry.ts makes one. */
export interface Tracer {
  /** @param parent a traceparent, or null for the beginning of a trace. */
  begin(name: string, kind: SpanKind, parent: string | null, fields: SpanFields): Span;
}

/** A unit of work: a request, a pass of a job, one delivery. */
export interface Work {
  /** Grows while the work goes on. */
  subject: Subject;
  readonly span: Span | null;
  readonly tracer: Tracer | null;
  /** Its steps are not spans: passes of jobs, which look for work far more often than they find any. */
  readonly quiet: boolean;
}

interface Start {
  readonly name: string;
  readonly kind?: SpanKind;
  /** The traceparent of what this goes on with; null begins a trace. */
  readonly parent: string | null;
  readonly subject?: Subject;
  readonly fields?: SpanFields;
  readonly quiet?: boolean;
}

const here = new AsyncLocalStorage<Work | undefined>();

/** Begins work whose end is not that of a function; `within` enters it, `span.end` ends it. */
export function startWork(tracer: Tracer | null, { name, kind = "internal", parent, ...start }: Start): Work {
  const { subject = {}, fields = {}, quiet = false } = start;
  if (tracer === null) return { subject, span: null, tracer, quiet };
  const span = tracer.begin(name, kind, parent, { ...fields, ...attributesOf(subject) });
  return { subject: { ...subject, trace_id: traceIdOf(span.traceparent) }, span, tracer, quiet };
}

/** Runs something as a part of work. */
export function within<T>(work: Work, run: () => T): T {
  return here.run(work, run);
}

/** Runs something that belongs to none of the work under way, such as what outlives it. */
export function outside<T>(run: () => T): T {
  return here.run(undefined, run);
}

/** Runs work from its beginning to its end. */
export function working<T>(tracer: Tracer | null, start: Start, run: (work: Work) => Promise<T>): Promise<T> {
  const work = startWork(tracer, start);
  return here.run(work, () => (work.span === null ? run(work) : ended(work.span, run(work))));
}

/** The same, inside other work that has found it: a payment that a job takes up again goes on in the payment's own trace. */
export function continuing<T>(start: Start, run: () => Promise<T>): Promise<T> {
  return working(here.getStore()?.tracer ?? null, start, run);
}

/** Runs a step of the work under way as a span of its own, where the work has one. */
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

/** Runs something that a request may ask for and a job may find: a step of the one, a trace of its own in the other. */
export function separately<T>(
  name: string,
  tenant: number,
  fields: SpanFields,
  run: () => Promise<T>,
): Promise<T> {
  const work = here.getStore();
  if (work !== undefined && !work.quiet) return traced(name, "internal", fields, run);
  return continuing({ name, parent: null, subject: { tenant }, fields }, run);
}

/** A statement as a step; its name only, never its values. */
export function tracedStatement<T>(name: string, run: () => Promise<T>): Promise<T> {
  if (traceparentNow() === null) return run();
  return traced(name, "client", { "db.system.name": "postgresql", "db.operation.name": name }, run);
}

/** Adds names to the work under way, for the log lines and spans that follow. */
export function about(subject: Subject): void {
  const work = here.getStore();
  if (work === undefined) return;
  work.subject = { ...work.subject, ...subject };
  work.span?.set(attributesOf(subject));
}

/** The names of the work under way. */
export function subjectNow(): Subject {
  return here.getStore()?.subject ?? {};
}

/** What is kept with work that goes on later, or sent with a call to another server; null without a trace. */
export function traceparentNow(): string | null {
  return here.getStore()?.span?.traceparent ?? null;
}

/** The header of a call to another server. */
export function traceHeaders(): Readonly<Record<string, string>> {
  const traceparent = traceparentNow();
  return traceparent === null ? {} : { traceparent };
}

const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** A caller's traceparent; null for one that cannot be read. */
export function readTraceparent(header: string | string[] | undefined): string | null {
  return typeof header === "string" && TRACEPARENT.test(header) ? header : null;
}

/** A step adds names to the work that it is a part of. */
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

/** Names as the attributes of a span. */
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
