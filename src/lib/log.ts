/** Structured logs (JSON lines on stderr): only the fields named by the caller, never a body, an IBAN, a token or a key. */
import { pino, type Logger } from "pino";
import { currentSubject } from "./trace.ts";

type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, error: unknown, fields?: LogFields): void;
}

/** Request lines are written in batches after a short delay, as writing costs more than formatting; errors at once. */
const BYTES_AT_ONCE = 4_096;
const LATEST_MS = 200;

/**
 * Creates the log.
 * @param level a pino level; `silent` writes nothing.
 */
export function createLog(level: string): Log {
  const destination = pino.destination({
    dest: 2,
    sync: false,
    minLength: BYTES_AT_ONCE,
    periodicFlush: LATEST_MS,
  });
  const formatters = { level: (label: string) => ({ level: label }) };
  const logger = pino(
    { level, base: null, formatters, timestamp: pino.stdTimeFunctions.isoTime },
    destination,
  );
  return {
    info: (message, fields) => logger.info(fields ?? {}, message),
    warn(message, fields) {
      logger.warn(fields ?? {}, message);
      destination.flush();
    },
    error(message, error, fields) {
      writeError(logger, message, error, fields);
      destination.flush();
    },
  };
}

/** A log whose lines contain what the process is working on: tenant, session, payment, request, trace. */
export function namingLog(log: Log): Log {
  return {
    info: (message, fields) => log.info(message, { ...currentSubject(), ...fields }),
    warn: (message, fields) => log.warn(message, { ...currentSubject(), ...fields }),
    error: (message, error, fields) => log.error(message, error, { ...currentSubject(), ...fields }),
  };
}

export const silentLog: Log = { info: () => {}, warn: () => {}, error: () => {} };

/** A driver's error may quote the row that caused it (`detail`), so only name, code, message and stack are kept. */
function writeError(logger: Logger, message: string, error: unknown, fields: LogFields = {}): void {
  const known = error instanceof Error ? error : new Error(String(error));
  const code = "code" in known ? String(known.code) : undefined;
  logger.error(
    { ...fields, error: redacted(known.message), code, stack: redacted(known.stack ?? "") },
    message,
  );
}

const SECRETS =
  /\b(?:ps|rk|pb)_[A-Za-z0-9_-]{8,}|\bwhsec_[A-Za-z0-9_+/=-]{8,}|\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\b/g;

/**
 * Removes session tokens, API keys, postback tokens, signing secrets and anything that looks like an IBAN from a text.
 */
export function redacted(text: string): string {
  return text.replace(SECRETS, "[redacted]");
}
