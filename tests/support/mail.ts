/** A service that sends messages through a mail server on loopback. */
import type { App } from "../../src/app.ts";
import { must } from "../../src/lib/assert.ts";
import { startMailServer, type MailServer } from "./mail-server.ts";
import { startService, type Service, type ServiceOptions } from "./service.ts";

interface MailingService {
  readonly service: Service;
  readonly mail: MailServer;
  readonly close: () => Promise<void>;
}

export async function startMailing(options: Omit<ServiceOptions, "config">): Promise<MailingService> {
  const mail = await startMailServer();
  const smtp = { url: mail.url, from: "pay@service.example" };
  const service = await startService({ ...options, config: { smtp } });
  const close = async () => {
    await service.close();
    await mail.close();
  };
  return { service, mail, close };
}

/** Sends due messages, including those that become due meanwhile. */
export async function sendMessages({ jobs }: Pick<App, "jobs">): Promise<void> {
  const job = must(
    jobs.find(({ name }) => name === "send-messages"),
    "the job",
  );
  while ((await job.runOnce(job.batch)) > 0);
}

/** A day in the English words of pages and messages for a customer in Germany. */
export function inWords(day: string): string {
  const words = new Intl.DateTimeFormat("en-DE", { dateStyle: "long", timeZone: "UTC" });
  return words.format(new Date(`${day}T00:00:00Z`));
}
