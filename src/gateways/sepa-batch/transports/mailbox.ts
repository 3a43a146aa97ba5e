/** Opens the bank folders of an account with the transport that its settings name. */
import { join } from "node:path";
import type { Deps } from "../../../deps.ts";
import { credentialsContext } from "../../calling.ts";
import { sepaSettings } from "../settings.ts";
import { openDirectory } from "./directory.ts";
import type { SftpSecrets } from "./sftp.ts";
import type { Mailbox } from "./transport.ts";
import type { AccountRow } from "../files-store.ts";

type Account = Pick<AccountRow, "tenant" | "id" | "settings" | "credentials">;

/**
 * Null for an account without folders: its files are carried by hand, or are orders of EBICS.
 * @param signal ends the connection, and with it whatever is being asked.
 * @throws Error when the folders cannot be opened.
 */
export async function openMailbox(
  deps: Pick<Deps, "allowPrivateTargets" | "keys" | "sepaDirectory">,
  account: Account,
  signal: AbortSignal,
): Promise<Mailbox | null> {
  const { transport } = sepaSettings(account.settings);
  switch (transport.kind) {
    case "manual":
    case "ebics":
      return null;
    case "directory":
      if (deps.sepaDirectory === null) {
        throw new Error("SEPA_DIRECTORY is not configured: use the transport manual or sftp.");
      }
      return openDirectory(join(deps.sepaDirectory, account.id));
    case "sftp": {
      // The library is loaded only where an account uses it: it is large.
      const { openSftp } = await import("./sftp.ts");
      return openSftp(transport, secretsOf(deps, account), {
        allowPrivate: deps.allowPrivateTargets,
        signal,
      });
    }
  }
}

function secretsOf(deps: Pick<Deps, "keys">, { tenant, id, credentials }: Account): SftpSecrets {
  if (credentials === null) return {};
  return JSON.parse(deps.keys.open(tenant, credentialsContext(id), credentials).toString()) as SftpSecrets;
}
