/** A keep-alive HTTP/1.1 connection with minimal processor time, because the client shares the cores with the service. */
import { connect, type Socket } from "node:net";

export interface Reply {
  readonly status: number;
  readonly head: string;
  readonly body: Buffer;
}

const HEAD_END = Buffer.from("\r\n\r\n");
const LAST_CHUNK = Buffer.from("0\r\n\r\n");

export class Connection {
  readonly #port: number;
  readonly #localAddress: string;
  #socket: Socket | null = null;
  #received: Buffer[] = [];
  #length = 0;
  #expected = 0;
  #resolve: (reply: Reply) => void = () => {};
  #reject: (error: Error) => void = () => {};

  constructor(port: number, localAddress: string) {
    this.#port = port;
    this.#localAddress = localAddress;
  }

  /** One request at a time; `bytes` is the whole of it. */
  send(bytes: string | Buffer): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#received = [];
      this.#length = 0;
      this.#expected = 0;
      this.#connected().write(bytes);
    });
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = null;
  }

  #connected(): Socket {
    if (this.#socket !== null) return this.#socket;
    const socket = connect({ host: "127.0.0.1", port: this.#port, localAddress: this.#localAddress });
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    socket.on("error", (error) => this.#reject(error));
    socket.on("close", () => {
      if (this.#socket === socket) this.#socket = null;
      this.#reject(new Error("The connection was closed"));
    });
    return (this.#socket = socket);
  }

  #take(chunk: Buffer): void {
    this.#received.push(chunk);
    this.#length += chunk.length;
    // A long response is assembled once, when it is complete.
    if (this.#length < this.#expected) return;
    const all = this.#received.length === 1 ? chunk : Buffer.concat(this.#received);
    this.#received = [all];
    const headEnd = all.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = all.toString("latin1", 0, headEnd);
    const start = headEnd + HEAD_END.length;
    this.#expected = start + lengthOf(head, all.subarray(start));
    if (all.length < this.#expected) return;
    if (/\r\nconnection: close/i.test(head)) this.close();
    this.#resolve({ status: Number(head.slice(9, 12)), head, body: all.subarray(start) });
  }
}

/** The length of the body; for one in chunks, until it is complete, at least one byte more than has arrived. */
function lengthOf(head: string, soFar: Buffer): number {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) return Number(length);
  if (!/\r\ntransfer-encoding: chunked/i.test(head)) return 0;
  const whole = soFar.length >= LAST_CHUNK.length && soFar.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK);
  return whole ? soFar.length : soFar.length + 1;
}
