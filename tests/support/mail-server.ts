/** A small mail server on loopback that accepts messages, refuses them or breaks the connection, as the test wants. */
import { createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";

/** A message that the server has accepted or read. */
export interface Taken {
  readonly to: string;
  readonly from: string;
  readonly messageId: string;
  readonly subject: string;
  /** The source as received. */
  readonly source: string;
  /** The text part, decoded. */
  readonly text: string;
}

/**
 * The reply to a sender, a recipient or the end of a text. `cut` breaks the connection without accepting the message;
 * `lose` accepts it and breaks the connection before the reply; a promise delays the acceptance.
 */
type Manner = "take" | "cut" | "lose" | `${4 | 5}${string}` | Promise<unknown>;

interface Manners {
  readonly mail?: Manner;
  readonly rcpt?: Manner;
  readonly text?: Manner;
}

export interface MailServer {
  readonly url: string;
  readonly taken: readonly Taken[];
  /** The recipients that it received, including those of refused messages. */
  readonly recipients: readonly string[];
  /** How it replies from now on; `take` by default. */
  behave(manners: Manners): void;
  close(): Promise<void>;
}

export async function startMailServer(): Promise<MailServer> {
  const taken: Taken[] = [];
  const recipients: string[] = [];
  const sockets = new Set<Socket>();
  let manners: Manners = {};
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    converse(socket, () => manners, taken, recipients);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    taken,
    recipients,
    behave: (next) => {
      manners = next;
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

function converse(socket: Socket, manners: () => Manners, taken: Taken[], recipients: string[]): void {
  let rest = "";
  let from = "";
  let to = "";
  let inText = false;
  const say = (line: string): void => void socket.write(`${line}\r\n`);
  say("220 mail.example.test ESMTP");
  socket.setEncoding("utf8");
  socket.on("data", (chunk: string) => {
    rest += chunk;
    for (;;) {
      const end = inText ? rest.indexOf("\r\n.\r\n") : rest.indexOf("\r\n");
      if (end < 0) return;
      const part = rest.slice(0, end);
      rest = rest.slice(end + (inText ? 5 : 2));
      if (inText) {
        inText = false;
        finish(part);
      } else command(part);
    }
  });

  const command = (line: string): void => {
    const verb = line.slice(0, 4).toUpperCase();
    const address = /<([^>]*)>/.exec(line)?.[1] ?? "";
    if (verb === "EHLO" || verb === "HELO") say("250 mail.example.test");
    else if (verb === "MAIL") {
      from = address;
      greet(manners().mail);
    } else if (verb === "RCPT") {
      to = address;
      recipients.push(address);
      greet(manners().rcpt);
    } else if (verb === "DATA") {
      inText = true;
      say("354 go on");
    } else if (verb === "QUIT") {
      say("221 bye");
      socket.end();
    } else say("250 fine");
  };

  /** The reply to an address. */
  const greet = (manner: Manner = "take"): void => {
    if (manner === "cut") socket.destroy();
    else if (manner instanceof Promise) void manner.then(() => say("250 fine"));
    else say(/^[45]/.test(manner) ? manner : "250 fine");
  };

  const finish = (source: string): void => {
    const { text = "take" } = manners();
    if (typeof text === "string" && /^[45]/.test(text)) {
      say(text);
      return;
    }
    if (text !== "cut") taken.push(letter(from, to, source));
    if (text === "cut" || text === "lose") socket.destroy();
    else if (text instanceof Promise) void text.then(() => say("250 queued"));
    else say("250 queued as 42");
  };
}

function letter(from: string, to: string, source: string): Taken {
  const header = (name: string) =>
    new RegExp(`^${name}: (.*(?:\r\n[ \t].*)*)`, "im").exec(source)?.[1]?.replace(/\r\n[ \t]/g, " ") ?? "";
  return {
    from,
    to,
    messageId: header("Message-ID"),
    subject: decodedWords(header("Subject")),
    source,
    text: textPart(source),
  };
}

/** Decodes a header (RFC 2047). */
function decodedWords(header: string): string {
  return header
    .replace(/\?=\s+=\?/g, "?==?")
    .replace(/=\?utf-8\?([BQ])\?([^?]*)\?=/gi, (_, how: string, word: string) =>
      how.toUpperCase() === "B" ? Buffer.from(word, "base64").toString() : quoted(word.replaceAll("_", " ")),
    );
}

function textPart(source: string): string {
  const at = source.search(/^Content-Type: text\/plain/im);
  const part = source.slice(at);
  const body = part.slice(part.indexOf("\r\n\r\n") + 4).split(/\r\n--/)[0] ?? "";
  const head = part.slice(0, part.indexOf("\r\n\r\n"));
  if (/base64/i.test(head)) return Buffer.from(body, "base64").toString();
  return /quoted-printable/i.test(head) ? quoted(body.replace(/=\r\n/g, "")) : body;
}

function quoted(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, "latin1").toString();
}
