/** The mail server: hands over one message at a time, and returns its state. */
import { Readable } from "node:stream";
import MailComposer from "nodemailer/lib/mail-composer";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import { SECOND_MS } from "../lib/clock.ts";
import { withDeadline } from "../lib/deadline.ts";
import { isLoopback } from "../management/web-address.ts";
import { failureWords, withoutAddresses } from "./failure-words.ts";
import { HANDOVER_MS } from "./schedule.ts";

export interface SmtpSettings {
  /**
   * `smtp://` uses STARTTLS, unless the server is on this machine or the URL ends in `?tls=off`; `smtps://` begins with
   * TLS.
   */
  readonly url: string;
  readonly from: string;
}

/** A message as it goes out. */
export interface Letter {
  /** Without its domain; the same for each attempt, so that a mailbox can recognise a second copy. */
  readonly id: string;
  readonly from: { readonly name: string; readonly address: string | null };
  readonly replyTo: string | null;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly attachments: readonly {
    readonly filename: string;
    readonly type: string;
    readonly content: Buffer;
  }[];
}

/**
 * - `sent`: the server has taken it on.
 * - `refused`: it never will, for this recipient or with this text.
 * - `retry`: it has certainly not taken it now.
 * - `unclear`: it had the text, and the connection broke before its answer.
 */
export interface Handover {
  readonly kind: "sent" | "refused" | "retry" | "unclear";
  /** The server's reply, or the error. */
  readonly answer: string;
}

export interface Mail {
  /** @param onText called before the server gets the text; if it returns false, nothing is sent. */
  send(letter: Letter, onText: () => Promise<boolean>): Promise<Handover>;
}

const CONNECT_MS = 10 * SECOND_MS;
/** RFC 5321 allows a server ten minutes for its last answer; a queueing relay does not need them. */
const SILENCE_MS = 30 * SECOND_MS;

export function createMail({ url, from }: SmtpSettings, totalMs = HANDOVER_MS): Mail {
  return {
    async send(letter, onText) {
      const message = await written(letter, from);
      const envelope = { from: letter.from.address ?? from, to: letter.to };
      const state = { gaveText: false };
      try {
        const answer = await withDeadline(totalMs, (signal) =>
          exchange(url, signal, (connection, done) => {
            connection.send(
              envelope,
              Readable.from(text(message, onText, state), { objectMode: false }),
              done,
            );
          }),
        );
        return { kind: "sent", answer: withoutAddresses(answer) };
      } catch (error) {
        return { kind: kindOf(error, state.gaveText), answer: failureWords(error) };
      }
    },
  };
}

async function* text(message: Buffer, onText: () => Promise<boolean>, state: { gaveText: boolean }) {
  // Read when the server asks for the text. After an error the last line is missing, and the server discards the
  // message.
  if (!(await onText())) throw new Error("The message was withdrawn.");
  state.gaveText = true;
  yield message;
}

function written({ id, from, replyTo, to, subject, text: plain, html, attachments }: Letter, own: string) {
  const address = from.address ?? own;
  const domain = address.slice(address.lastIndexOf("@") + 1);
  const mail = new MailComposer({
    messageId: `<${id}@${domain}>`,
    from: { name: from.name, address },
    to: { name: "", address: to },
    ...(replyTo === null ? {} : { replyTo }),
    subject,
    text: plain,
    html,
    attachments: attachments.map(({ filename, type, content }) => ({
      filename,
      content,
      contentType: type,
    })),
    // Sent by a program, so other programs must not answer (RFC 3834).
    headers: { "Auto-Submitted": "auto-generated" },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return mail.compile().build();
}

type Send = (
  connection: SMTPConnection,
  done: (error: Error | null, info?: { readonly response?: string }) => void,
) => void;

/** Connects, signs in if the URL has a user, and sends. Returns the server's answer. */
function exchange(url: string, signal: AbortSignal, send: Send): Promise<string> {
  const { user, pass, options } = connectionOf(new URL(url));
  const connection = new SMTPConnection(options);
  return new Promise<string>((resolve, reject) => {
    const fail = (error: Error): void => {
      connection.close();
      reject(error);
    };
    connection.on("error", fail);
    signal.addEventListener("abort", () => fail(signal.reason as Error));
    const sendNow = (): void =>
      send(connection, (error, info) => {
        if (error !== null) {
          fail(error);
          return;
        }
        connection.quit();
        resolve(info?.response ?? "");
      });
    connection.connect((error) => {
      if (error) fail(error);
      else if (user === "") sendNow();
      else connection.login({ user, pass }, (refused) => (refused ? fail(refused) : sendNow()));
    });
  });
}

function connectionOf({ protocol, hostname, port, username, password, searchParams }: URL) {
  const secure = protocol === "smtps:";
  const plain = isLoopback(hostname) || searchParams.get("tls") === "off";
  return {
    user: decodeURIComponent(username),
    pass: decodeURIComponent(password),
    options: {
      host: hostname.replace(/^\[|\]$/g, ""),
      ...(port === "" ? {} : { port: Number(port) }),
      secure,
      ...(secure ? {} : plain ? { ignoreTLS: true } : { requireTLS: true }),
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      dnsTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
      socketCloseTimeout: 0,
    },
  };
}

interface SmtpError {
  readonly code?: string;
  readonly command?: string;
  readonly responseCode?: number;
}

/** A refused address or text is final; a refusal of all our mail may be temporary. */
function kindOf(error: unknown, gaveText: boolean): Handover["kind"] {
  const { code, command, responseCode } = error as SmtpError;
  const isAnswer = responseCode !== undefined && (code === "EENVELOPE" || code === "EMESSAGE");
  if (isAnswer) return responseCode >= 500 && command !== "MAIL FROM" ? "refused" : "retry";
  return gaveText ? "unclear" : "retry";
}
