/** A PostgreSQL server for as long as a script runs. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbedded } from "../src/embedded-postgres/server.ts";

export interface TemporaryServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** An embedded server whose folder goes away with it. @param durable whether a commit waits for the disk. */
export async function temporaryServer(durable = false): Promise<TemporaryServer> {
  const dataDir = await mkdtemp(join(tmpdir(), "payment-sessions-"));
  const server = await startEmbedded({ dataDir, log: () => {}, durable });
  return {
    url: server.url,
    async stop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** The server that DATABASE_URL names, which goes on running; else an embedded one. */
export async function givenOrTemporaryServer(): Promise<TemporaryServer> {
  const given = process.env["DATABASE_URL"];
  return given === undefined || given === "" ? temporaryServer() : { url: given, stop: async () => {} };
}
