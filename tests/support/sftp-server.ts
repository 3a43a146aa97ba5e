/**
 * A real SFTP server (OpenSSH) on loopback, set up like a bank's: a host key, one user with a key, a folder for each
 * direction.
 */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { freePort } from "./process.ts";

const SSHD =
  ["/usr/sbin/sshd", "/usr/local/sbin/sshd", "/sbin/sshd"].find((path) => existsSync(path)) ?? null;

/** Why it cannot run; null if it can. */
export const whyNoSftp =
  SSHD === null || spawnSync("ssh-keygen", ["-?"]).error !== undefined
    ? "openssh-server is not installed (Debian: apt-get install openssh-server)"
    : null;

export interface SftpServer {
  readonly port: number;
  readonly username: string;
  /** The fingerprint as `ssh-keygen -lf` prints it. */
  readonly hostKey: string;
  readonly privateKey: string;
  /** The folders of files from the bank and of files to the bank. */
  readonly outbox: string;
  readonly inbox: string;
  readonly archive: string;
  close(): Promise<void>;
}

export async function startSftpServer(): Promise<SftpServer> {
  const folder = await mkdtemp(join(tmpdir(), "payment-sessions-sftp-"));
  const path = (name: string) => join(folder, name);
  const [outbox, inbox, archive] = [path("to-bank"), path("from-bank"), path("archive")];
  for (const name of [outbox, inbox, archive]) await mkdir(name);
  for (const name of ["host", "user"]) {
    spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", path(name)]);
  }
  const hostKey =
    spawnSync("ssh-keygen", ["-lf", path("host.pub")], { encoding: "utf8" }).stdout.split(" ")[1] ?? "";
  await writeFile(path("authorized_keys"), await readFile(path("user.pub")), { mode: 0o600 });
  const port = await freePort();
  await writeFile(
    path("sshd_config"),
    [
      `Port ${port}`,
      "ListenAddress 127.0.0.1",
      `HostKey ${path("host")}`,
      `PidFile ${path("pid")}`,
      `AuthorizedKeysFile ${path("authorized_keys")}`,
      "StrictModes no",
      "PasswordAuthentication no",
      "PermitRootLogin yes",
      "UsePAM no",
      "Subsystem sftp internal-sftp",
      "ForceCommand internal-sftp",
    ].join("\n"),
  );
  // As root, sshd requires this folder for privilege separation.
  await mkdir("/run/sshd", { recursive: true }).catch(() => {});
  const child = spawn(SSHD ?? "", ["-D", "-e", "-f", path("sshd_config")], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let words = "";
  child.stderr.on("data", (chunk: Buffer) => (words += chunk.toString()));
  await untilOpen(port, child, () => words);
  return {
    port,
    hostKey,
    outbox,
    inbox,
    archive,
    username: userInfo().username,
    privateKey: await readFile(path("user"), "utf8"),
    async close() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function untilOpen(port: number, child: ChildProcess, words: () => string): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (child.exitCode !== null) throw new Error(`sshd ended: ${words()}`);
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
      socket.unref();
      setTimeout(() => socket.destroy(), 500).unref();
    });
    if (open) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
  throw new Error(`sshd does not listen: ${words()}`);
}

export interface HangingServer {
  readonly port: number;
  /** The number of connections so far. */
  connections(): number;
  /** Resolves once there were this many connections. */
  reached(count: number): Promise<void>;
  /** From now on connections are passed on unlimited. */
  release(): void;
  close(): Promise<void>;
}

/**
 * A server that accepts connections and sends nothing, or that passes on this many bytes of another server's responses
 * and then hangs.
 */
export async function startHangingServer(
  options: { readonly forwardTo?: number; readonly bytes?: number } = {},
): Promise<HangingServer> {
  const sockets = new Set<Socket>();
  let connected = 0;
  let left = options.bytes ?? 0;
  const server = createServer((socket) => {
    connected += 1;
    server.emit("reached");
    keep(socket);
    if (options.forwardTo === undefined) return;
    const behind = connect(options.forwardTo, "127.0.0.1");
    keep(behind);
    socket.pipe(behind);
    behind.on("data", (chunk: Buffer) => {
      left -= chunk.length;
      if (left >= 0) socket.write(chunk);
    });
    behind.on("end", () => socket.end());
  });
  function keep(socket: Socket): void {
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  }
  const connections = () => connected;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    connections,
    async reached(count) {
      for (; count > connections();) await once(server, "reached");
    },
    release() {
      left = Number.MAX_SAFE_INTEGER;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
