/**
 * The merchant's person who carries files to and from the bank, confirms uncertain ones, and decides unmatched entries.
 */
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Json } from "../../support/service.ts";
import type { Booking } from "./bookings.ts";
import { euros } from "./messages.ts";
import { fits, statesOf } from "./reading.ts";
import { gatewaysOf, type Shop, type ShopGateway } from "./shop.ts";
import type { Plan } from "./trouble.ts";
import type { Answer, World } from "./world.ts";

export interface Clerk {
  /**
   * Carries all waiting files to the bank, and asks the bank about uncertain ones. @param all whether no file may be
   * left behind.
   */
  carry(shop: Shop, all: boolean): Promise<void>;
  /** Gives a file of the bank to the service, by the form or by the folder. @returns the id of the service's record. */
  deliver(
    shop: Shop,
    account: string,
    xml: string,
  ): Promise<{ readonly id: string; readonly known: boolean } | null>;
  /** Decides entries on the list of unmatched ones. @param all decides all of them, without mistakes. */
  decide(shop: Shop, all: boolean): Promise<void>;
}

/** Longer than the time after which silence counts as settlement. */
const FORGOTTEN_DAYS = 12;

export function createClerk(
  world: World,
  shops: readonly Shop[],
  { habits, trait, approvals, extra }: Pick<Plan, "habits" | "trait" | "approvals" | "extra">,
): Clerk {
  /**
   * A file may be forgotten, withdrawn or left unapproved again and again, so in the end people make no more mistakes.
   */
  let careful = false;
  const careless = () => (careful ? 0 : habits.carelessCarrying);
  const { random, coverage } = world;
  let deliveries = 0;
  /** Files that were left lying, and until when. */
  const forgotten = new Map<string, number>();

  const give = async (shop: Shop, xml: string): Promise<void> => {
    const messageId = /<MsgId>([^<]*)/.exec(xml)?.[1] ?? "";
    if (approvals > 0 && !(await isApproved(shop, messageId)))
      world.wrong(`FILE-5: ${messageId} is at the bank without its approval`);
    const reports = shop.bank.take(xml, world.today());
    // At times a report is delivered late, after the money would have come.
    for (const report of reports) shop.waiting.push(report);
    world.say(`the bank of ${shop.name} has taken ${messageId}`);
  };

  const isApproved = async (shop: Shop, messageId: string): Promise<boolean> => {
    const rows = await world.rows(
      "select from sepa_files where tenant = $1 and message_id = $2 and approvals >= $3",
      [shop.tenant, messageId, approvals],
    );
    return rows.length === 1;
  };

  const post = async (shop: Shop, path: string, body?: unknown): Promise<Answer> => {
    const answer = await world.call("POST", `management/${path}`, {
      key: shop.key,
      ...(body === undefined ? {} : { body }),
    });
    coverage.count(`file ${path.split("/").at(-2)} ${answer.status}`);
    return answer;
  };

  const byHand = async (shop: Shop, file: Json): Promise<void> => {
    const { id, message_id: messageId } = file as { id: string; message_id: string };
    if (shop.given.has(id)) {
      // It was carried to the bank but not marked as sent.
      if (!random.chance(careless() * 0.5)) await post(shop, `sepa-files/${id}/mark-sent/`);
      return;
    }
    const now = world.clock.now().getTime();
    if ((forgotten.get(id) ?? 0) > now) return;
    if (random.chance(careless() * 0.4)) return;
    const answer = await world.call("GET", `management/sepa-files/${id}/content/`, { key: shop.key });
    coverage.count(`file content ${answer.status}`);
    if (answer.status === 409) {
      // It was downloaded but neither carried nor marked. Only this person knows that the bank does not have it.
      if (/mark it as sent/.test(answer.text)) await post(shop, `sepa-files/${id}/withdraw/`);
      return;
    }
    if (answer.status !== 200) return world.wrong(`CALL-3: a file's content was answered ${answer.status}`);
    if (trait === "forgets" && !careful && random.chance(0.3)) {
      coverage.count("a downloaded file is forgotten");
      forgotten.set(id, now + FORGOTTEN_DAYS * 86_400_000);
      return;
    }
    if (random.chance(careless() * 0.3)) {
      if (random.chance(0.3)) await post(shop, `sepa-files/${id}/withdraw/`);
      return;
    }
    if (shop.bank.has(messageId)) return world.wrong(`MONEY-1: ${messageId} is handed out again`);
    await give(shop, answer.text);
    shop.given.add(id);
    if (!random.chance(careless() * 0.4)) await post(shop, `sepa-files/${id}/mark-sent/`);
  };

  /**
   * Checks a file before it is sent. Usually it is approved, at times by two programs at once, at times only days
   * later.
   */
  const approve = async (shop: Shop, { id }: Json): Promise<void> => {
    if (random.chance(careful ? 0 : 0.2 + careless() * 0.4)) return;
    if (random.chance(careful ? 0 : 0.1)) return void (await post(shop, `sepa-files/${id}/withdraw/`));
    const once = () => world.send("POST", `management/sepa-files/${id}/approve/`, { key: shop.key });
    if (!random.chance(habits.atOnce * 0.5)) return void (await post(shop, `sepa-files/${id}/approve/`));
    const answers = await world.turns.together(once, once);
    coverage.count(
      `approve at once ${answers
        .map((answer) => String(answer?.status))
        .toSorted((a, b) => a.localeCompare(b))
        .join(" ")}`,
    );
  };

  /** The bank fetches the complete files of the folder; a name with a leading dot is incomplete. */
  const fetchFrom = async (shop: Shop, gateway: ShopGateway): Promise<void> => {
    const folder = join(world.folder, gateway.id, "out");
    const names: readonly string[] = await readdir(folder).catch(() => []);
    for (const name of names.toSorted((a, b) => a.localeCompare(b))) {
      if (name.startsWith(".")) continue;
      await give(shop, await readFile(join(folder, name), "utf8"));
      await rm(join(folder, name));
    }
  };

  /** A file of one bank, handed in as another bank's: it is refused, and nothing comes of it. */
  const misplace = async (shop: Shop, account: string, xml: string): Promise<void> => {
    const others = shop.gateways.filter(({ ibans }) => !ibans.has(account));
    if (others.length === 0) return;
    const { status, body, text } = await world.upload(shop.key, random.pick(others).id, xml);
    const [file] = (body["files"] ?? []) as readonly Json[];
    const said = file?.["report"]?.["unmatched"] ?? 0;
    coverage.count(`a file at the wrong account: ${status} ${file?.["status"] ?? ""}`);
    if (file?.["status"] === "applied" && /<BkToCstmr/.test(xml))
      world.wrong(`FILE-1: a file of another account was taken, ${said} unmatched: ${text.slice(0, 300)}`);
  };

  const fileOfFolder = async (shop: Shop, gateway: ShopGateway, xml: string) => {
    deliveries += 1;
    const name = `from-bank-${deliveries}.xml`;
    const folder = join(world.folder, gateway.id, "in");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `.${name}`), xml);
    await rename(join(folder, `.${name}`), join(folder, name));
    for (let tries = 0; tries < 8; tries += 1) {
      world.clock.advance(16 * 60_000);
      await world.jobs(/^sepa-fetch$/);
      const [row] = await world.rows(
        "select id from sepa_files where tenant = $1 and direction = 'in' and name = $2",
        [shop.tenant, name],
      );
      const gone = !(await readdir(folder)).includes(name);
      if (row !== undefined) return { id: row["id"] as string, known: false };
      // A file with the same bytes as an earlier one leaves no record.
      if (gone) return { id: "", known: true };
      if (tries === 5) world.trouble = { ...world.trouble, crashes: 0, database: 0 };
    }
    world.wrong(`${name} was not fetched`);
    return null;
  };

  const decideOne = async (shop: Shop, row: Json, careful: boolean): Promise<void> => {
    const told = shop.read.get(row["file_id"])?.lines[(row["entry"] as number) - 1];
    const booking = told?.booking ?? null;
    const path = `unmatched/${row["id"]}/resolve/`;
    const say = async (body: Json, what: string): Promise<Answer> => {
      const { turns } = world;
      if (!careful && random.chance(habits.atOnce * 0.6)) {
        const send = (n: number) => () =>
          world.send("POST", `management/${path}`, {
            key: shop.key,
            body,
            idempotencyKey: `two-${row["id"]}-${n}`,
          });
        const [one, other] = await turns.together(send(1), send(2));
        world.say(`two decide at once ${one?.status ?? "none"} ${other?.status ?? "none"}`);
        coverage.count(
          `decide at once ${[one?.status, other?.status]
            .map(String)
            .toSorted((a, b) => a.localeCompare(b))
            .join(" ")}`,
        );
        if (one?.status === 200 && other?.status === 200 && body["action"] !== "part")
          world.wrong(`FILE-3: two decided about the entry ${row["id"]}`);
        return one?.status === 200 ? one : (other ?? one ?? { status: 0, body: {}, text: "" });
      }
      const answer = await world.call("POST", `management/${path}`, { key: shop.key, body });
      world.say(`  ${what} of ${told?.event ?? "?"} of ${booking?.of[0]?.reference ?? "a report"}`);
      coverage.count(`decide ${what} ${told?.event ?? "?"} ${answer.status}`);
      return answer;
    };
    const dismiss = () => say({ action: "dismiss" }, "dismiss");
    if (booking === null) {
      // A status report: the bank is asked about what the report leaves open, and the next statement tells the outcome.
      const about = await Promise.all(
        (told?.rejections ?? []).map(({ reference }) => transactionOf(shop, reference)),
      );
      if (!about.some((one) => one?.["state"] === "batched" || one?.["assumed"])) await dismiss();
      return;
    }
    const target = await transactionOf(shop, booking.of[0]?.reference ?? "");
    if (
      !careful &&
      random.chance(habits.clumsy) &&
      /^(lookalike|stranger|fee|credit_again|transfer_again)$/.test(booking.kind)
    )
      await clumsy(shop, row, booking);
    const id = target?.["id"] as string | undefined;
    switch (booking.kind) {
      case "return": {
        const answer = await say({ action: "apply", transaction_id: id }, "apply");
        // If the payment was reinstated in between, the reinstatement may still have to be recorded.
        const between = shop.bank.debits.get(booking.of[0]?.reference ?? "")?.fate === "recredited";
        if (between && /this is another return/.test(answer.text)) return;
        if (answer.status === 409 && (careful || target?.["state"] === "returned")) await dismiss();
        return;
      }
      case "recredit":
      case "credit_ahead":
      case "credit": {
        if (target?.["state"] === "batched")
          return void (await say({ action: "apply", transaction_id: id }, "apply"));
        // One of the two credits will be returned, so this one is the money that stays.
        const back = shop.bank.debits.get(booking.of[0]?.reference ?? "")?.returnedOn ?? [];
        const isAhead = booking.kind === "credit_ahead" && back.length === 0;
        if (target?.["state"] === "settled" && booking.kind !== "credit" && (!careful || isAhead)) return;
        const answer = await say({ action: "reinstate", transaction_id: id }, "reinstate");
        if (answer.status === 200) shop.reinstated.add(booking.of[0]?.reference ?? "");
        if (answer.status === 409 && careful && target?.["state"] === "returned")
          world.wrong(`FILE-3: money that was there again could not be written down: ${answer.text}`);
        if (answer.status === 409) await dismiss();
        return;
      }
      case "sum":
      case "sum_less":
      case "sum_part": {
        const action = booking.kind === "sum_part" ? "part" : "settle";
        const fee = booking.kind === "sum_less" ? { bank_fee: euros(booking.fee) } : {};
        const fitted =
          booking.kind === "sum_less" &&
          fits(shop, { ...booking, naming: "block" }, await statesOf(world, shop));
        const whole = fits(shop, { ...booking, naming: "block" }, await statesOf(world, shop));
        const answer = await say({ action, block_id: booking.of[0]?.blockId, ...fee }, action);
        if (action === "part" && answer.status === 200) partKept(shop, booking, whole, answer);
        if (fitted && answer.status === 409)
          world.wrong(`MONEY-3: a sum less the bank's fee was refused: ${answer.text}`);
        // The amounts do not match before the bank's rejections are known.
        if (answer.status === 409 && careful) {
          const ids = await Promise.all(booking.of.map(({ reference }) => transactionOf(shop, reference)));
          const open = ids.filter((one) => one?.["state"] === "batched").map((one) => one?.["id"]);
          const again =
            open.length === 0
              ? answer
              : await say(
                  { action: "settle", transaction_ids: open, accept_amount: true },
                  "settle accepted",
                );
          if (again.status === 409) await dismiss();
        }
        return;
      }
      case "return_part": {
        const answer = await say(
          { action: "apply", transaction_id: id, accept_amount: true },
          "apply accepted",
        );
        if (answer.status === 200) {
          const reference = booking.of[0]?.reference ?? "";
          // An earlier chargeback by hand has its own amount.
          if (!shop.byHand.has(reference)) shop.parts.set(reference, booking.cents);
          shop.byHand.set(reference, "partly");
        } else if (answer.status === 409) await dismiss();
        return;
      }
      case "foreign_currency": {
        if (random.chance(0.5)) return void (await dismiss());
        const answer = await say(
          { action: "apply", transaction_id: id, accept_amount: true },
          "apply accepted",
        );
        if (answer.status === 200) shop.byHand.set(booking.of[0]?.reference ?? "", "foreign");
        else if (answer.status === 409) await dismiss();
        return;
      }
      case "transfer_sum": {
        const answer = await say({ action: "settle", block_id: booking.of[0]?.blockId }, "settle");
        // The amounts do not match before the bank's rejections are known.
        if (answer.status !== 200 && careful) await dismiss();
        return;
      }
      case "transfer":
      case "reversal": {
        const answer = await say({ action: "apply", transaction_id: id }, "apply");
        if (answer.status !== 200) await dismiss();
        return;
      }
      default:
        await dismiss();
    }
  };

  /** The last part settles the block. @param whole whether all of its collections were still waiting. */
  const partKept = ({ blocks }: Shop, booking: Booking, whole: boolean, { body }: Answer): void => {
    const block = booking.of[0]?.blockId ?? "";
    const parts = (blocks.get(block) ?? new Map<number, number>()).set(booking.number, booking.cents);
    blocks.set(block, parts);
    const there = parts.values().reduce((sum, one) => sum + one, 0);
    if (there !== booking.of.reduce((sum, { cents }) => sum + cents, 0)) return;
    coverage.count(`the last part of a block ${body["status"]}`);
    if (whole && body["status"] !== "applied")
      world.wrong(`MONEY-3: all parts of the block ${block} are there, and it is ${body["status"]}`);
  };

  /** Makes a wrong decision, which has to be refused without effect. */
  const clumsy = async (shop: Shop, row: Json, booking: Booking): Promise<void> => {
    const [any] = await world.rows(
      `select t.id, t.amount::text from transactions t where t.tenant = $1 and t.amount <> $2::numeric order by t.merchant_transaction_id limit 1`,
      [shop.tenant, euros(booking.cents)],
    );
    if (any === undefined) return;
    const action = random.pick(["apply", "reinstate", "settle", "part"] as const);
    const { status, text } = await world.call("POST", `management/unmatched/${row["id"]}/resolve/`, {
      key: shop.key,
      body: { action, transaction_id: any["id"] },
    });
    coverage.count(`decide wrongly ${action} ${booking.kind} ${status}`);
    if (status === 200 && action !== "part")
      world.wrong(`MONEY-3: ${action} of ${booking.kind} with another amount was taken: ${text}`);
    if (status === 200)
      await world.call("POST", `management/unmatched/${row["id"]}/resolve/`, {
        key: shop.key,
        body: { action: "dismiss" },
      });
  };

  const transactionOf = async (shop: Shop, reference: string): Promise<Json | undefined> => {
    const [row] = await world.rows(
      `select t.id, c.state, c.assumed from transactions t left join sepa_collections c on c.tenant = t.tenant and c.reference = t.merchant_transaction_id
        where t.tenant = $1 and t.merchant_transaction_id = $2`,
      [shop.tenant, reference],
    );
    return row;
  };

  /** The bank's program may fetch files at any time, also while an instance is paused. */
  world.besides = async () => {
    for (const shop of shops)
      for (const gateway of shop.gateways)
        if (gateway.transport === "directory" && random.chance(0.7)) await fetchFrom(shop, gateway);
  };

  return {
    async carry(shop, all) {
      careful = all && trait === "forgets" && extra !== "none";
      for (const gateway of shop.gateways)
        if (gateway.transport === "directory" || extra === "transports") await fetchFrom(shop, gateway);
      const { body } = await world.call("GET", "management/sepa-files/?direction=out&page_size=100", {
        key: shop.key,
      });
      for (const file of (body["results"] as readonly Json[]).toReversed()) {
        if (file["status"] === "to_approve") await approve(shop, file);
        if (file["status"] === "ready") await byHand(shop, file);
        if (file["status"] === "unclear") {
          const arrived = shop.bank.has(file["message_id"] as string);
          await post(shop, `sepa-files/${file["id"]}/confirm/`, { arrived });
          coverage.count(`file unclear, arrived: ${arrived}`);
        }
      }
    },
    async deliver(shop, account, xml) {
      if (extra === "banks" && random.chance(0.1)) await misplace(shop, account, xml);
      const gateway = random.pick(gatewaysOf(shop, account));
      if (gateway.transport === "directory") return fileOfFolder(shop, gateway, xml);
      const { status, body, text } = await world.upload(shop.key, gateway.id, xml);
      const [file] = (body["files"] ?? []) as readonly Json[];
      if (status !== 201 || file === undefined || file["status"] !== "applied") {
        world.wrong(`CALL-3: a bank's file was answered ${status}: ${text.slice(0, 300)}`);
        return null;
      }
      // The file was read although its response was lost, so it still counts as read for the first time.
      return { id: file["id"], known: shop.read.has(file["id"]) };
    },
    async decide(shop, all) {
      const rows = await world.rows(
        "select id, file_id, entry, status from sepa_unmatched where tenant = $1 and status in ('open', 'part') order by created_at, id",
        [shop.tenant],
      );
      for (const row of rows) {
        if (row["status"] === "part" && !all) continue;
        if (all || random.chance(0.4)) await decideOne(shop, row, all);
      }
    },
  };
}
