/** The bank's folders as directories of this machine, below SEPA_DIRECTORY. */
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat, link, unlink } from "node:fs/promises";
import { join } from "node:path";
import { isPlainName, type Mailbox } from "./transport.ts";

/** @param folder the account's own: `out`, `in` and `archive` are in it, and are made. */
export async function openDirectory(folder: string): Promise<Mailbox> {
  const [out, incoming, archive] = [join(folder, "out"), join(folder, "in"), join(folder, "archive")];
  for (const path of [out, incoming, archive]) await mkdir(path, { recursive: true, mode: 0o700 });
  return {
    outgoing: () => readdir(out),
    async upload(temporaryName, bytes) {
      const file = await open(join(out, temporaryName), "w", 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
    },
    async uploaded(temporaryName) {
      const found = await stat(join(out, temporaryName)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return null;
        throw error;
      });
      return found?.size ?? null;
    },
    async publish(temporaryName, name) {
      // A second name fails where one is there already; renaming would replace it.
      await link(join(out, temporaryName), join(out, name));
      await unlink(join(out, temporaryName));
    },
    discard: (temporaryName) => rm(join(out, temporaryName), { force: true }),
    async incoming() {
      const names = (await readdir(incoming)).filter(isPlainName).toSorted();
      const files = await Promise.all(
        names.map(async (name) => ({ name, found: await stat(join(incoming, name)) })),
      );
      return files
        .filter(({ found }) => found.isFile())
        .map(({ name, found }) => ({ name, size: found.size }));
    },
    download: (name) => createReadStream(join(incoming, name)),
    putAway: (name) => rename(join(incoming, name), join(archive, name)),
    close: async () => {},
  };
}
