/** The part of PostgreSQL's wire protocol that shows when a write is committed and its response is in flight. */

export interface WriteWatcher {
  /** Reads what the client sends; the name of the write that it commits, or null. */
  sent(data: Buffer): string | null;
  /** Reads the server's answer to it; true when it is complete, so that the commit is certain. */
  answered(data: Buffer): boolean;
}

const WRITES = /\b(insert|update|delete)\b/i;
const READY = "Z".charCodeAt(0);
const HEADER_BYTES = 5;

export function createWriteWatcher(): WriteWatcher {
  const fromClient = frames(true);
  const fromServer = frames(false);
  const texts = new Map<string, string>();
  let bound = "";
  let inTransaction = false;

  const read = (type: string, body: Buffer): string | null => {
    if (type === "P") {
      const [name = "", text = ""] = strings(body);
      texts.set(name, text);
    } else if (type === "B") {
      bound = strings(body)[1] ?? "";
    } else if (type === "S") {
      return !inTransaction && WRITES.test(texts.get(bound) ?? "") ? bound || "unnamed" : null;
    } else if (type === "Q") {
      const text = strings(body)[0] ?? "";
      if (text === "begin") inTransaction = true;
      if (text === "commit" || text === "rollback") inTransaction = false;
      return text === "commit" ? "commit" : null;
    }
    return null;
  };

  return {
    sent(data) {
      let write: string | null = null;
      for (const { type, body } of fromClient(data)) write = read(String.fromCharCode(type), body) ?? write;
      return write;
    },
    answered: (data) => fromServer(data).some(({ type }) => type === READY),
  };
}

interface Frame {
  readonly type: number;
  readonly body: Buffer;
}

/**
 * Splits a stream into messages: a type byte, and a length that includes itself; only a client's first message has no
 * type byte.
 */
function frames(startup: boolean): (data: Buffer) => readonly Frame[] {
  let rest: Buffer = Buffer.alloc(0);
  let first = startup;
  return (data) => {
    rest = rest.length === 0 ? data : Buffer.concat([rest, data]);
    const found: Frame[] = [];
    if (first) {
      if (rest.length < 4 || rest.length < rest.readUInt32BE(0)) return found;
      rest = rest.subarray(rest.readUInt32BE(0));
      first = false;
    }
    while (rest.length >= HEADER_BYTES) {
      const end = 1 + rest.readUInt32BE(1);
      if (rest.length < end) break;
      found.push({ type: rest.readUInt8(0), body: rest.subarray(HEADER_BYTES, end) });
      rest = rest.subarray(end);
    }
    return found;
  };
}

/** The first two texts of a message. */
function strings(body: Buffer): readonly string[] {
  const first = body.indexOf(0);
  const second = body.indexOf(0, first + 1);
  return [body.toString("utf8", 0, first), body.toString("utf8", first + 1, second)];
}
