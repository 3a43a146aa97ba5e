/** Every setting, read once from the environment and validated; the only file that reads process.env. */
import { readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Environment } from "./deps.ts";
import { HOUR_MS, MINUTE_MS } from "./lib/clock.ts";
import { isEmail } from "./http/fields.ts";
import { randomIds } from "./lib/ids.ts";
import type { SmtpSettings } from "./messages/smtp.ts";
import type { SignInSettings } from "./people/settings.ts";
import type { TelemetrySettings } from "./lib/telemetry.ts";

export interface Config {
  readonly host: string;
  readonly port: number;
  /** {host_url} without a slash at its end. */
  readonly publicUrl: string;
  readonly environment: Environment;
  readonly databaseUrl: string | null;
  /** Connects as the owner of the tables, for migrations; null when the service owns them. */
  readonly databaseOwnerUrl: string | null;
  readonly databaseConnections: number;
  /** A streaming replica for reads that may be slightly stale; null reads everything from the database. */
  readonly databaseReadUrl: string | null;
  /** The replica is not used when it lags further behind. */
  readonly databaseReadLagSeconds: number;
  /** Whether the service migrates the schema when it starts; otherwise it waits until that was done. */
  readonly migrateOnStart: boolean;
  /** How long it still serves, no longer ready, after it was asked to stop. */
  readonly drainSeconds: number;
  readonly dataDir: string;
  readonly redisUrl: string | null;
  /** At least one: the first seals, all open. */
  readonly masterKeys: readonly Buffer[];
  readonly operatorKey: string;
  readonly trustedProxies: readonly string[];
  /** The most concurrent connections of one address, unless it is a trusted proxy. */
  readonly connectionsPerAddress: number;
  /** The token for /metrics; null leaves them open in staging and closed in production. */
  readonly metricsToken: string | null;
  /** The port of /metrics if not `port`; null serves them on `port`. */
  readonly metricsPort: number | null;
  /** The OpenTelemetry collector; null sends nothing and loads no library. */
  readonly telemetry: TelemetrySettings | null;
  /** The mail server for messages to customers; null sends none and loads no library. */
  readonly smtp: SmtpSettings | null;
  /** Whether the reference page is served. */
  readonly docs: boolean;
  readonly allowPrivateTargets: boolean;
  /**
   * Whether the operator has allowed private targets, not only staging's default: responses from private addresses are
   * shown then.
   */
  readonly showPrivateAnswers: boolean;
  /** Folder with the ISO schemas of SEPA files. */
  readonly sepaSchemas: string | null;
  /** Folder of the accounts whose files are exchanged through directories. */
  readonly sepaDirectory: string | null;
  /** Days for which receivers' responses to webhooks are kept. */
  readonly webhookAnswersKeptDays: number;
  /** Days for which ended webhook deliveries are kept; 0: for ever. */
  readonly webhookDeliveriesKeptDays: number;
  /** Days for which the log of requests is kept; 0: there is none. */
  readonly requestLogDays: number;
  /** How long people stay signed in to the console, and which factors they need. */
  readonly signIn: SignInSettings;
  /** Months for which a mandate is kept as evidence after its last collection. */
  readonly mandateEvidenceMonths: number;
  readonly demo: boolean;
  readonly logLevel: string;
  /** The file that names the step at which the process kills itself; for the crash tests, never in production. */
  readonly crashAt: string | null;
}

/** Settings that may be given in a file, as orchestrators do with secrets: NAME_FILE names the file. */
export const SECRET_SETTINGS = [
  "DATABASE_URL",
  "DATABASE_OWNER_URL",
  "DATABASE_READ_URL",
  "REDIS_URL",
  "MASTER_KEYS",
  "MASTER_KEY",
  "MASTER_KEY_PREVIOUS",
  "OPERATOR_KEY",
  "METRICS_TOKEN",
  "OTEL_EXPORTER_OTLP_HEADERS",
  "SMTP_URL",
] as const;

type Variables = Readonly<Record<string, string | undefined>>;

/** An invalid setting; the message says which and what to do. */
export class ConfigError extends Error {}

/** Where the database is, without creating anything; for commands that only read. */
export function databasePlace(
  env: Variables = process.env,
): Pick<Config, "dataDir"> & { readonly external: boolean } {
  const isSet = (name: string) => (env[name] ?? "") !== "";
  return {
    dataDir: resolve(env["DATA_DIR"] ?? "./data"),
    external: isSet("DATABASE_URL") || isSet("DATABASE_URL_FILE"),
  };
}

/**
 * Reads the settings.
 * @throws ConfigError naming every invalid variable.
 */
export async function readConfig(given: Variables = process.env): Promise<Config> {
  const { env, unreadable } = withFiles(given);
  const settings = new Settings(env, unreadable);
  const environment = settings.oneOf("SERVICE_ENVIRONMENT", ["staging", "production"], "staging");
  const staging = environment === "staging";
  const port = settings.integer("PORT", 8080, 0, 65_535);
  const { dataDir, external } = databasePlace(env);
  const config = {
    environment,
    port,
    dataDir,
    host: env["HOST"] ?? "127.0.0.1",
    publicUrl: settings.url("PUBLIC_URL", `http://localhost:${port}`, ["http:", "https:"]),
    databaseUrl: settings.optionalUrl("DATABASE_URL", ["postgres:", "postgresql:"]),
    databaseOwnerUrl: settings.optionalUrl("DATABASE_OWNER_URL", ["postgres:", "postgresql:"]),
    databaseConnections: settings.integer("DATABASE_CONNECTIONS", 20, 1, 1_000),
    databaseReadUrl: settings.optionalUrl("DATABASE_READ_URL", ["postgres:", "postgresql:"]),
    databaseReadLagSeconds: settings.integer("DATABASE_READ_LAG_SECONDS", 10, 1, 3_600),
    migrateOnStart: settings.flag("MIGRATE_ON_START", staging || !external),
    drainSeconds: settings.integer("DRAIN_SECONDS", staging ? 0 : 5, 0, 300),
    redisUrl: settings.optionalUrl("REDIS_URL", ["redis:", "rediss:"]),
    trustedProxies: settings.list("TRUSTED_PROXIES"),
    metricsToken: settings.secret("METRICS_TOKEN"),
    metricsPort: settings.optionalPort("METRICS_PORT", port),
    telemetry: settings.telemetry(),
    smtp: settings.smtp(),
    docs: settings.flag("DOCS", true),
    connectionsPerAddress: settings.integer("CONNECTIONS_PER_ADDRESS", 256, 1, 10_000),
    showPrivateAnswers: settings.flag("ALLOW_PRIVATE_TARGETS", false),
    allowPrivateTargets: settings.flag("ALLOW_PRIVATE_TARGETS", staging),
    sepaSchemas: settings.folder("SEPA_SCHEMAS"),
    sepaDirectory: settings.folder("SEPA_DIRECTORY"),
    webhookAnswersKeptDays: settings.integer("WEBHOOK_ANSWERS_KEPT_DAYS", 30, 0, 3_650),
    requestLogDays: settings.integer("REQUEST_LOG_DAYS", 7, 0, 365),
    webhookDeliveriesKeptDays: settings.integer("WEBHOOK_DELIVERIES_KEPT_DAYS", 0, 0, 3_650),
    signIn: {
      sessionIdleMs: settings.integer("CONSOLE_IDLE_MINUTES", 60, 1, 1_440) * MINUTE_MS,
      sessionMaxMs: settings.integer("CONSOLE_SESSION_HOURS", 12, 1, 720) * HOUR_MS,
      stepUpMs: settings.integer("CONSOLE_STEP_UP_MINUTES", 10, 1, 1_440) * MINUTE_MS,
      secondFactorRequired: settings.flag("CONSOLE_SECOND_FACTOR", !staging),
    },
    mandateEvidenceMonths: settings.integer("MANDATE_EVIDENCE_MONTHS", 14, 0, 360),
    demo: settings.flag("DEMO", staging) && staging,
    logLevel: settings.oneOf("LOG_LEVEL", ["silent", "error", "warn", "info", "debug"], "info"),
    crashAt: staging ? (env["CRASH_AT"] ?? null) : null,
  };
  const masterKeys = settings.masterKeys(staging);
  const operatorKey = settings.operatorKey(staging);
  settings.check();
  return {
    ...config,
    masterKeys:
      masterKeys.length > 0
        ? masterKeys
        : [Buffer.from(await generated(dataDir, "master.key", newMasterKey), "base64")],
    operatorKey: operatorKey ?? (await generated(dataDir, "operator.key", newOperatorKey)),
  };
}

/** The settings including those given in files, and the problems of these files. */
function withFiles(given: Variables): { readonly env: Variables; readonly unreadable: readonly string[] } {
  const env: Record<string, string | undefined> = { ...given };
  const unreadable: string[] = [];
  for (const name of SECRET_SETTINGS) {
    const file = given[`${name}_FILE`] ?? "";
    if (file === "") continue;
    if ((given[name] ?? "") !== "") {
      unreadable.push(`${name} and ${name}_FILE are both set: set one of them.`);
      continue;
    }
    try {
      env[name] = readFileSync(file, "utf8").trim();
      if (env[name] === "")
        unreadable.push(`${name}_FILE names ${file}, which is empty: write the secret into it.`);
    } catch (error) {
      unreadable.push(
        `${name}_FILE names ${file}, which cannot be read (${codeOf(error)}): name a file that the service may read.`,
      );
    }
  }
  return { env, unreadable };
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

const newMasterKey = () => randomIds.secret(32).toString("base64");
const newOperatorKey = () => `rk_${randomIds.secret(32).toString("base64url")}`;

/** A secret created once and kept in the data folder, readable only by its owner. */
async function generated(dataDir: string, file: string, make: () => string): Promise<string> {
  const path = join(dataDir, file);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  // 'wx' does not overwrite a file that another process has just created; its secret is the one read below.
  await writeFile(path, `${make()}\n`, { flag: "wx", mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST")
      throw new ConfigError(
        `${path} cannot be written (${error.code}): let the service write there, or set DATA_DIR.`,
      );
  });
  return (await readFile(path, "utf8")).trim();
}

class Settings {
  readonly #env: Variables;
  readonly #wrong: string[];

  constructor(env: Variables, wrong: readonly string[]) {
    this.#env = env;
    this.#wrong = [...wrong];
  }

  /** @throws ConfigError with everything that is wrong. */
  check(): void {
    if (this.#wrong.length > 0) throw new ConfigError(this.#wrong.join("\n"));
  }

  oneOf<const T extends string>(name: string, choices: readonly T[], fallback: T): T {
    const text = this.#env[name] ?? fallback;
    const found = choices.find((choice) => choice === text);
    return found ?? this.#refuse(name, `must be one of ${choices.join(", ")}`, fallback);
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    const text = this.#env[name];
    if (text === undefined || text === "") return fallback;
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max
      ? value
      : this.#refuse(name, `must be a whole number from ${min} to ${max}`, fallback);
  }

  /**
   * An optional port.
   * @param taken a port that it must differ from.
   */
  optionalPort(name: string, taken: number): number | null {
    if ((this.#env[name] ?? "") === "") return null;
    const port = this.integer(name, 0, 0, 65_535);
    return port !== 0 && port === taken ? this.#refuse(name, "must be another port than PORT", null) : port;
  }

  /** The names are OpenTelemetry's own. */
  telemetry(): TelemetrySettings | null {
    const endpoint = this.optionalUrl("OTEL_EXPORTER_OTLP_ENDPOINT", ["http:", "https:"]);
    const headers = this.headers("OTEL_EXPORTER_OTLP_HEADERS");
    const sampled = this.fraction("OTEL_TRACES_SAMPLER_ARG", 1);
    const metricsEveryMs = this.integer("OTEL_METRIC_EXPORT_INTERVAL", 60_000, 100, 3_600_000);
    const spansEveryMs = this.integer("OTEL_BSP_SCHEDULE_DELAY", 5_000, 100, 60_000);
    const serviceName = this.#env["OTEL_SERVICE_NAME"] || "payment-session-service";
    return endpoint === null
      ? null
      : { endpoint, headers, serviceName, sampled, metricsEveryMs, spansEveryMs };
  }

  /** The server, with user and password if needed, and the sender address of messages. */
  smtp(): SmtpSettings | null {
    const url = this.optionalUrl("SMTP_URL", ["smtp:", "smtps:"]);
    const from = this.#env["SMTP_FROM"] ?? "";
    if (url === null) return null;
    return isEmail(from)
      ? { url, from }
      : this.#refuse(
          "SMTP_FROM",
          "must be the e-mail address that messages come from, as SMTP_URL is set",
          null,
        );
  }

  /** `name=value,name=value`, values percent-encoded. */
  headers(name: string): Readonly<Record<string, string>> {
    const pairs = this.list(name).map((part) => /^([!#$%&'*+.^_`|~\w-]+)=(.*)$/.exec(part));
    try {
      return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? "", decodeURIComponent(pair?.[2] ?? "%")]));
    } catch {
      return this.#refuse(
        name,
        "must be a list of name=value pairs, percent-encoded and separated by commas",
        {},
      );
    }
  }

  fraction(name: string, fallback: number): number {
    const text = this.#env[name];
    if (text === undefined || text === "") return fallback;
    return /^(?:0(?:\.\d{1,9})?|1(?:\.0{1,9})?)$/.test(text)
      ? Number(text)
      : this.#refuse(name, "must be a number from 0 to 1", fallback);
  }

  flag(name: string, fallback: boolean): boolean {
    const text = this.#env[name];
    if (text === undefined || text === "") return fallback;
    if (text === "true" || text === "false") return text === "true";
    return this.#refuse(name, "must be true or false", fallback);
  }

  secret(name: string): string | null {
    const text = this.#env[name];
    if (text === undefined || text === "") return null;
    return /^[\x21-\x7e]{16,}$/.test(text)
      ? text
      : this.#refuse(name, "must have at least 16 letters, digits and punctuation characters", null);
  }

  list(name: string): readonly string[] {
    return (this.#env[name] ?? "").split(",").flatMap((part) => (part.trim() === "" ? [] : [part.trim()]));
  }

  folder(name: string): string | null {
    const text = this.#env[name];
    return text === undefined || text === "" ? null : resolve(text);
  }

  url(name: string, fallback: string, protocols: readonly string[]): string {
    return this.optionalUrl(name, protocols) ?? fallback;
  }

  optionalUrl(name: string, protocols: readonly string[]): string | null {
    const text = this.#env[name];
    if (text === undefined || text === "") return null;
    if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) return text.replace(/\/+$/, "");
    return this.#refuse(
      name,
      `must be a URL that begins with ${protocols.map((p) => `${p}//`).join(" or ")}`,
      null,
    );
  }

  /**
   * The keys of MASTER_KEYS, or of MASTER_KEY and MASTER_KEY_PREVIOUS, the former names; empty where they may be
   * missing. Both styles may be given while instances are replaced, if they agree.
   */
  masterKeys(optional: boolean): readonly Buffer[] {
    const list = this.list("MASTER_KEYS").flatMap((text) => this.#key("MASTER_KEYS", text));
    const first = this.#key("MASTER_KEY", this.#env["MASTER_KEY"] ?? "");
    const previous = this.#key("MASTER_KEY_PREVIOUS", this.#env["MASTER_KEY_PREVIOUS"] ?? "");
    if (list.some((key, place) => list.findIndex((other) => other.equals(key)) < place))
      return this.#refuse("MASTER_KEYS", "names a key twice: remove one of them", []);
    if (list.length > 0) {
      const agrees =
        first.every((key) => list[0]?.equals(key)) &&
        previous.every((key) => list.some((one) => one.equals(key)));
      const rule = "does not agree with MASTER_KEY and MASTER_KEY_PREVIOUS: remove those two";
      return agrees ? list : this.#refuse("MASTER_KEYS", rule, []);
    }
    if (first.length === 0 && previous.length > 0)
      return this.#refuse(
        "MASTER_KEY_PREVIOUS",
        "is set without MASTER_KEY: set MASTER_KEYS instead, the newest key first",
        [],
      );
    if (first.length === 0 && !optional && this.#wrong.every((line) => !line.startsWith("MASTER_KEY")))
      return this.#refuse(
        "MASTER_KEYS",
        "is required in production: make a key with `openssl rand -base64 32`",
        [],
      );
    return first.some((key) => previous.some((other) => other.equals(key))) ? first : [...first, ...previous];
  }

  /** 32 bytes in base64; empty for no text, and for a wrong one. */
  #key(name: string, text: string): readonly Buffer[] {
    if (text === "") return [];
    const bytes = Buffer.from(text, "base64");
    return bytes.length === 32
      ? [bytes]
      : this.#refuse(name, "must be 32 bytes in base64, as `openssl rand -base64 32` prints them", []);
  }

  operatorKey(optional: boolean): string | null {
    const text = this.#env["OPERATOR_KEY"];
    if (text === undefined || text === "") {
      const refused = this.#wrong.some((line) => line.startsWith("OPERATOR_KEY"));
      return optional || refused
        ? null
        : this.#refuse(
            "OPERATOR_KEY",
            "is required in production: make one with `echo rk_$(openssl rand -hex 32)`",
            null,
          );
    }
    return /^rk_[A-Za-z0-9_-]{32,}$/.test(text)
      ? text
      : this.#refuse("OPERATOR_KEY", "must be rk_ followed by at least 32 letters and digits", null);
  }

  #refuse<T>(name: string, rule: string, instead: T): T {
    this.#wrong.push(`${name} ${rule}.`);
    return instead;
  }
}
