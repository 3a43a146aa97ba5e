/** A copy of the repository in which mutants are tried, so that the working tree does not change, and a PostgreSQL. */
import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { startTestServer, type TestServer } from "../test-server.ts";

const ROOT = join(import.meta.dirname, "../..");
/** What no test reads. */
const LEFT_OUT = new Set(["node_modules", ".git", "data", ".mutate", "bench", "coverage"]);

export class Workshop {
  readonly folder: string;
  readonly server: TestServer;

  /** @param folder for the copy, with `scripts/mutate` and `node_modules`; it is removed at the end. */
  constructor(folder: string, server: TestServer) {
    this.folder = folder;
    this.server = server;
  }

  static async open(): Promise<Workshop> {
    const folder = await mkdtemp(join(tmpdir(), "payment-sessions-mutants-"));
    const filter = (path: string): boolean => path === ROOT || !LEFT_OUT.has(basename(path));
    await cp(ROOT, folder, { recursive: true, filter });
    await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
    return new Workshop(folder, await startTestServer());
  }

  async close(): Promise<void> {
    await this.server.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}
