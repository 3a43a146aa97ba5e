/**
 * A bank's SFTP server, in memory, that hangs, drops connections, gives false responses, is slow and is down on
 * demand. The only importer of ssh2.
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { posix } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import ssh2, { type Connection, type FileEntry, type SFTPWrapper } from "ssh2";
import type { Random } from "../random.ts";
import { count } from "./tally.ts";

/** A folder's files by name. */
type Folder = Map<string, Buffer>;

export interface ChaosSftp {
  readonly port: number;
  /** As `ssh-keygen -lf` prints it. */
  readonly hostKey: string;
  readonly outbox: Folder;
  readonly inbox: Folder;
  readonly archive: Folder;
  /** From now on requests meet faults. */
  misbehave(): void;
  /** This many of the next requests of this kind have this fault. */
  failNext(operation: Operation, fault: Fault, times?: number): void;
  /** The next login succeeds, and the transfer of files is refused. */
  refuseNext(): void;
  /** Resolves once no connection is open. */
  allClosed(): Promise<void>;
  /** It is down: connections are closed, and none is accepted. */
  leave(): void;
  /** It works correctly; hanging connections are closed. */
  heal(): void;
  /** Its faults since the last call. */
  takeFaults(): ReadonlyMap<string, number>;
  close(): Promise<void>;
}

export const LOGIN = { username: "merchant", password: "open sesame" } as const;

type Operation = "list" | "open" | "read" | "write" | "rename" | "remove";
type Fault =
  | "hang"
  | "slow"
  | "cut before"
  | "cut after"
  | "no, and done"
  | "yes, and not done"
  | "half"
  | "ghost";

const ANY: readonly Fault[] = ["slow", "slow", "cut before", "cut after", "hang"];
const FAULTS: Readonly<Record<Operation, readonly Fault[]>> = {
  list: [...ANY, "ghost", "ghost", "ghost"],
  open: [...ANY, "no, and done"],
  read: [...ANY, "half", "half"],
  write: [...ANY, "no, and done", "yes, and not done", "yes, and not done"],
  rename: [...ANY, "cut after", "no, and done", "no, and done", "yes, and not done"],
  remove: [...ANY, "no, and done", "yes, and not done"],
};
/** The probability of a fault per request: most visits have a dozen requests, and one renaming. */
const SHARE: Readonly<Record<Operation, number>> = {
  list: 0.06,
  open: 0.06,
  read: 0.1,
  write: 0.1,
  rename: 0.4,
  remove: 0.15,
};
const SLOW_MS_MAX = 1_500;
/** A file in a listing that does not exist; it comes before the real names. */
const GHOST = "0-ghost.xml";

const { STATUS_CODE } = ssh2.utils.sftp;
const FILE_MODE = 0o100_600;
const FOLDER_MODE = 0o040_700;

type Answer =
  | { readonly status: number }
  | { readonly data: Buffer }
  | { readonly handle: Buffer }
  | { readonly names: readonly FileEntry[] };
const OK: Answer = { status: STATUS_CODE.OK };
const FAILURE: Answer = { status: STATUS_CODE.FAILURE };
const END: Answer = { status: STATUS_CODE.EOF };
const MISSING: Answer = { status: STATUS_CODE.NO_SUCH_FILE };

interface Mood {
  kind: "well" | "bad" | "away";
}

/** Starts a server with three empty folders. */
export async function startSftp(random: Random): Promise<ChaosSftp> {
  const key = ssh2.utils.generateKeyPairSync("ed25519");
  const folders = new Map<string, Folder>(["/out", "/in", "/archive"].map((path) => [path, new Map()]));
  const mood: Mood = { kind: "well" };
  const faults = new Map<string, number>();
  const lines = new Set<Line>();
  let refusals = 0;
  const waiting: { readonly operation: Operation; readonly fault: Fault }[] = [];

  const choose = (operation: Operation): Fault | null => {
    const next = waiting.findIndex((one) => one.operation === operation);
    if (next >= 0) return waiting.splice(next, 1)[0]?.fault ?? null;
    if (mood.kind !== "bad" || !random.chance(SHARE[operation])) return null;
    const fault = random.pick(FAULTS[operation]);
    count(faults, `${operation}: ${fault}`);
    return fault;
  };

  const server = new ssh2.Server({ hostKeys: [key.private] }, (connection) => {
    const ended = Promise.withResolvers<null>();
    const line = {
      hangs: false,
      gone: false,
      end() {
        connection.end();
        line.gone = true;
        ended.resolve(null);
      },
    };
    lines.add(line);
    (connection as Connection & { setNoDelay(on: boolean): void }).setNoDelay(true);
    connection.on("error", () => {});
    connection.on("close", () => {
      lines.delete(line);
      server.emit("line closed");
      line.gone = true;
      ended.resolve(null);
    });
    if (mood.kind === "away") return line.end();
    connection.on("authentication", (context) => {
      if (context.method === "password" && context.password === LOGIN.password) context.accept();
      else context.reject(["password"]);
    });
    connection.on("session", (accept, refuse) => {
      if (refusals > 0) {
        refusals -= 1;
        return refuse();
      }
      accept().on("sftp", (open) => serve(open(), folders, { random, choose, line, ended: ended.promise }));
    });
    return undefined;
  });
  server.on("error", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  const folder = (path: string): Folder => folders.get(path) ?? new Map();
  const cut = (which: (line: Line) => boolean): void => {
    for (const line of lines) if (which(line)) line.end();
  };
  return {
    port: (server.address() as AddressInfo).port,
    hostKey: fingerprint(key.public),
    outbox: folder("/out"),
    inbox: folder("/in"),
    archive: folder("/archive"),
    misbehave() {
      mood.kind = "bad";
    },
    failNext(operation, fault, times = 1) {
      waiting.push(...Array.from({ length: times }, () => ({ operation, fault })));
    },
    refuseNext() {
      refusals += 1;
    },
    async allClosed() {
      for (; lines.size > 0;) await once(server, "line closed");
    },
    leave() {
      mood.kind = "away";
      cut(() => true);
    },
    heal() {
      mood.kind = "well";
      cut(({ hangs }) => hangs);
    },
    takeFaults() {
      const taken = new Map(faults);
      faults.clear();
      return taken;
    },
    async close() {
      cut(() => true);
      server.close();
      await once(server, "close");
    },
  };
}

/** A connection. */
interface Line {
  hangs: boolean;
  gone: boolean;
  end(): void;
}

interface Served {
  readonly random: Random;
  readonly choose: (operation: Operation) => Fault | null;
  readonly line: Line;
  readonly ended: Promise<null>;
}

interface Opened {
  readonly path: string;
  /** Of a listing: whether it was given. */
  listed: boolean;
  half: boolean;
}

/** Answers the requests of a connection in their order. */
function serve(
  sftp: SFTPWrapper,
  folders: ReadonlyMap<string, Folder>,
  { random, choose, line, ended }: Served,
): void {
  const handles = new Map<number, Opened>();
  let number = 0;
  let queue: Promise<unknown> = Promise.resolve();

  /** @param work executes the request. @param operation null for requests without faults. */
  const ask = (id: number, operation: Operation | null, work: (fault: Fault | null) => Answer): void => {
    queue = after(queue, async () => {
      const fault = operation === null || line.gone ? null : choose(operation);
      if (fault === "hang") {
        line.hangs = true;
        await ended;
      }
      if (fault === "slow") await Promise.race([sleep(random.between(100, SLOW_MS_MAX)), ended]);
      if (fault === "cut before") line.end();
      // Requests of a dead connection are not executed.
      if (line.gone) return;
      const answer = fault === "yes, and not done" ? OK : work(fault);
      if (fault === "cut after") line.end();
      else reply(sftp, id, fault === "no, and done" ? FAILURE : answer);
    });
  };
  const opened = (handle: Buffer): Opened | undefined => handles.get(handle.readUInt32BE());
  const begin = (path: string): Answer => {
    number += 1;
    handles.set(number, { path, listed: false, half: false });
    const handle = Buffer.alloc(4);
    handle.writeUInt32BE(number);
    return { handle };
  };
  const place = (path: string) => {
    const { dir, base } = posix.parse(posix.resolve("/", path));
    return { folder: folders.get(dir), name: base };
  };
  const content = (path: string): Buffer | undefined => {
    const { folder, name } = place(path);
    return folder?.get(name);
  };

  sftp.on("REALPATH", (id, path) => ask(id, null, () => named([[posix.resolve("/", path), FOLDER_MODE, 0]])));
  for (const stat of ["STAT", "LSTAT"] as const) {
    sftp.on(stat as "STAT", (id, path) =>
      attributes(sftp, id, folders.has(posix.resolve("/", path)), content(path)),
    );
  }
  sftp.on("FSTAT", (id, handle) => attributes(sftp, id, false, content(opened(handle)?.path ?? "")));
  for (const set of ["SETSTAT", "FSETSTAT"] as const)
    sftp.on(set as "SETSTAT", (id) => sftp.status(id, STATUS_CODE.OK));
  sftp.on("OPENDIR", (id, path) =>
    ask(id, null, () => (folders.has(posix.resolve("/", path)) ? begin(path) : MISSING)),
  );
  sftp.on("READDIR", (id, handle) => {
    const directory = opened(handle);
    ask(id, directory?.listed === true ? null : "list", (fault) => {
      const folder = folders.get(posix.resolve("/", directory?.path ?? ""));
      if (directory === undefined || folder === undefined || directory.listed) return END;
      directory.listed = true;
      const files = [...folder].map(([name, { length }]) => [name, FILE_MODE, length] as const);
      return named(fault === "ghost" ? [[GHOST, FILE_MODE, 700], ...files] : files);
    });
  });
  sftp.on("OPEN", (id, path, flags) =>
    ask(id, "open", () => {
      const { folder, name } = place(path);
      const writes = (flags & ssh2.utils.sftp.OPEN_MODE.WRITE) !== 0;
      if (folder === undefined || (!writes && !folder.has(name))) return MISSING;
      if (writes) folder.set(name, Buffer.alloc(0));
      return begin(path);
    }),
  );
  sftp.on("READ", (id, handle, offset, length) =>
    ask(id, "read", (fault) => {
      const file = opened(handle);
      const bytes = content(file?.path ?? "");
      if (file === undefined || bytes === undefined) return FAILURE;
      file.half ||= fault === "half";
      const data = bytes.subarray(
        offset,
        Math.min(offset + length, file.half ? bytes.length / 2 : bytes.length),
      );
      return data.length === 0 ? END : { data };
    }),
  );
  sftp.on("WRITE", (id, handle, offset, data) => {
    const bytes = Buffer.from(data);
    ask(id, "write", () => {
      const { folder, name } = place(opened(handle)?.path ?? "");
      const before = folder?.get(name);
      if (folder === undefined || before === undefined) return FAILURE;
      folder.set(
        name,
        Buffer.concat([before.subarray(0, offset), Buffer.alloc(Math.max(0, offset - before.length)), bytes]),
      );
      return OK;
    });
  });
  sftp.on("CLOSE", (id, handle) =>
    ask(id, null, () => (handles.delete(handle.readUInt32BE()) ? OK : FAILURE)),
  );
  sftp.on("REMOVE", (id, path) =>
    ask(id, "remove", () => {
      const { folder, name } = place(path);
      return folder?.delete(name) === true ? OK : MISSING;
    }),
  );
  sftp.on("RENAME", (id, from, to) =>
    ask(id, "rename", () => {
      const [old, made] = [place(from), place(to)];
      const bytes = old.folder?.get(old.name);
      if (bytes === undefined || made.folder === undefined) return MISSING;
      if (made.folder.has(made.name)) return FAILURE;
      old.folder?.delete(old.name);
      made.folder.set(made.name, bytes);
      return OK;
    }),
  );
}

async function after(before: Promise<unknown>, work: () => Promise<void>): Promise<void> {
  await before;
  await work();
}

function reply(sftp: SFTPWrapper, id: number, answer: Answer): void {
  if ("status" in answer) sftp.status(id, answer.status);
  else if ("data" in answer) sftp.data(id, answer.data);
  else if ("handle" in answer) sftp.handle(id, answer.handle);
  else sftp.name(id, [...answer.names]);
}

function attributes(sftp: SFTPWrapper, id: number, isFolder: boolean, bytes: Buffer | undefined): void {
  if (!isFolder && bytes === undefined) sftp.status(id, STATUS_CODE.NO_SUCH_FILE);
  else sftp.attrs(id, attrsOf(isFolder ? FOLDER_MODE : FILE_MODE, bytes?.length ?? 0));
}

function named(files: readonly (readonly [name: string, mode: number, size: number])[]): Answer {
  return {
    names: files.map(([filename, mode, size]) => ({
      filename,
      longname: `${mode === FILE_MODE ? "-rw-------" : "drwx------"} 1 bank bank ${size} Jan 1 00:00 ${filename}`,
      attrs: attrsOf(mode, size),
    })),
  };
}

function attrsOf(mode: number, size: number) {
  return { mode, size, uid: 0, gid: 0, atime: 0, mtime: 0 };
}

/** @param key in the form of OpenSSH. */
function fingerprint(key: string): string {
  const bytes = Buffer.from(key.split(" ")[1] ?? "", "base64");
  return `SHA256:${createHash("sha256").update(bytes).digest("base64").replace(/=+$/, "")}`;
}
