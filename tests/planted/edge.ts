/** Bugs of the edge: what an attacker, a slow reader or a stolen password could do. */
import type { PlantedBug } from "../simulation/planted.ts";
import { guarded, putBack } from "./guarded.ts";

const UPLOADS = "src/http/upload.test.ts";
const PLACES = "src/http/upload-places.test.ts";
const CONNECTIONS = "src/http/connections.test.ts";
const TRANSPORT = "tests/sepa/transport.test.ts";
const CSV = "src/files/csv-cells.test.ts";
const LIMITS = "tests/limits.test.ts";
const EDGE = "tests/api/edge.test.ts";
const KEYS = "src/tenants/api-keys/api-keys.test.ts";
const ROLE = "src/db/service-role.test.ts";
const CLIENT = "src/http/client-ip.test.ts";
const GATEWAYS = "src/gateways/records/gateway-record.test.ts";

export const AT_THE_EDGE: readonly PlantedBug[] = [
  putBack(
    "an upload is read to its end, however long it is",
    [
      ["http/upload.ts", "files: 1, fileSize }", "files: 1 }"],
      ["http/upload.ts", "if (bytes <= limit()) return;", "if (bytes <= limit() * 1_000) return;"],
    ],
    [UPLOADS, "a file one byte longer is 413"],
    [UPLOADS, "a body in chunks is 413 at the first byte over the limit"],
    [UPLOADS, "a form without a file is refused"],
  ),
  putBack(
    "an upload that declares too large a size is read",
    [
      [
        "http/hooks.ts",
        'if (Number(headers["content-length"]) > bodyLimit + FORM_BYTES_MAX) throw tooLarge(bodyLimit);',
        "void [bodyLimit, tooLarge];",
      ],
    ],
    [UPLOADS, "a body whose announced length is too large is 413 before any of it is read"],
  ),
  putBack(
    "any number of uploads is read at once",
    [
      [
        "http/upload-places.ts",
        "return all < options.atOnce && count(lane) < options.atOncePerLane;",
        "return all >= 0;",
      ],
    ],
    [PLACES, "uploads of one lane leave a place for another lane's"],
    [PLACES, "beyond the limit of waiting uploads"],
  ),
  putBack(
    "an upload does not wait for a free slot",
    [
      [
        "http/server.ts",
        "const leave = await uploads.take(lane, goneOf(request));",
        "const leave = () => void [uploads, lane, goneOf];",
      ],
    ],
    [UPLOADS, "a second file of a tenant is not read before the first one has been"],
  ),
  putBack(
    "a gateway's stored password is sent to any server in its settings",
    [
      [
        "gateways/records/gateway-record.ts",
        "if (settings === null || before === null || before.credentials === null) return null;",
        "if (settings === null || before === null || before.credentials !== undefined) return null;",
      ],
    ],
    [GATEWAYS, "a stored SFTP password is never sent to another server"],
  ),
  putBack(
    "banks are visited one after the other, so a slow one delays the others",
    [
      [
        "gateways/sepa-batch/incoming/fetch.ts",
        `underWay.start(
          account.tenant,
          account.id,
          (signal) => fetchFiles(deps, account, sizes, signal),
          stop,
        );`,
        "await fetchFiles(deps, account, sizes, AbortSignal.any(stop === undefined ? [] : [stop]));",
      ],
    ],
    [TRANSPORT, "a bank that hangs delays no other tenant's statements"],
  ),
  putBack(
    "a visit to a bank continues when the service stops",
    [
      [
        "gateways/sepa-batch/transports/visits.ts",
        "stop === undefined ? time : AbortSignal.any([stop, time])",
        "stop === undefined ? time : AbortSignal.any([time])",
      ],
    ],
    [TRANSPORT, "stopping the service ends a visit to a hanging bank at once"],
  ),
  putBack(
    "only the handshake with a bank's server has a time limit",
    [
      [
        "gateways/sepa-batch/transports/sftp.ts",
        'signal.addEventListener("abort", cut, { once: true });',
        'signal.addEventListener("abort", () => {}, { once: true });',
      ],
      ["gateways/sepa-batch/transports/sftp.ts", "socket.setTimeout(silenceMs);", "socket.setTimeout(0);"],
    ],
    [TRANSPORT, "stopping the service ends a visit to a hanging bank at once"],
  ),
  putBack(
    "a file in a bank's folder is read however large it is",
    [
      [
        "gateways/sepa-batch/incoming/fetch.ts",
        "if (size > BANK_FILE_BYTES_MAX) {",
        "if (size > BANK_FILE_BYTES_MAX ** 2) {",
      ],
    ],
    [TRANSPORT, "a file larger than may be read is left in the bank's folder"],
  ),
  putBack(
    "viewing a file's content marks it as sent",
    [
      [
        "gateways/sepa-batch/file-commands.ts",
        "const file = await findContent(deps.db, tenant, id);",
        "await deps.db.transaction((tx) => markSent(tx, tenant, id, deps.clock.now()));\n      const file = await findContent(deps.db, tenant, id);",
      ],
    ],
    ["tests/safe-methods.test.ts", "GET, HEAD and an aborted GET change nothing at any endpoint"],
  ),
  putBack(
    "a client that does not read its response keeps its connection",
    [["http/connections.ts", "if (seen.looks >= LOOKS_PER_STALL) socket.resetAndDestroy();", "void socket;"]],
    [CONNECTIONS, "a client that reads 32 bytes a second of a large answer is disconnected"],
  ),
  putBack(
    "one address can hold all connections",
    [["http/connections.ts", "if (held >= perAddress) {", "if (held >= perAddress * 1_000) {"]],
    [CONNECTIONS, "one address may hold a limited number of connections at a time"],
  ),
  putBack(
    "only a comma separates the cells of a file for spreadsheets",
    [
      [
        "files/csv-cells.ts",
        "const SEPARATOR = String.raw`[;\\t\\r\\n]`;",
        "const SEPARATOR = String.raw`[\\uffff]`;",
      ],
    ],
    [CSV, "however the file is split, no part of a cell begins as a formula"],
  ),
  putBack(
    "a semicolon in a cell is not quoted",
    [["files/csv-cells.ts", '/[",;\\t\\r\\n]/', '/[",\\r\\n]/']],
    ["src/reconciliation/csv.test.ts", 'free text "a;b'],
  ),
  putBack(
    "full-width signs and invisible characters before a sign do not count as the beginning of a formula",
    [
      ["files/csv-cells.ts", "\\p{Cc}\\p{Cf}\\p{Default_Ignorable_Code_Point}", ""],
      ["files/csv-cells.ts", "＝＋－＠﹦﹢﹣﹫−", "＝＋－＠"],
    ],
    ["src/reconciliation/csv.test.ts", 'free text "﹦1"'],
    ["src/reconciliation/csv.test.ts", 'free text "−1"'],
  ),
  putBack(
    "a language tag of any length is parsed",
    [["payment-page/language.ts", "if (tag.length > TAG_CHARS_MAX) return null;", "void TAG_CHARS_MAX;"]],
    ["src/payment-page/language.test.ts", "a tag of thousands of parts is not taken apart"],
  ),
  putBack(
    "payments are accepted however often they are tried",
    [
      [
        "sessions/attempt-store.ts",
        "where w.n = c.n and not exists (select from counted k where k.kind = w.kind and k.key = w.key))",
        "where w.n = c.n and w.n is null)",
      ],
    ],
    [LIMITS, "an account is debited no more often in a day than its tenant allows"],
    [LIMITS, "payments per customer and per address are limited"],
  ),
  putBack(
    "a session accepts any number of IBANs that cannot be debited",
    [
      ["sessions/pay.ts", "await countInvalidIban(deps, input);", "void countInvalidIban;"],
      [
        "payment-page/submit.ts",
        'await countInvalidIban(deps, { ...input, source: "hosted_page" });',
        "void countInvalidIban;",
      ],
    ],
    [LIMITS, "after too many IBANs that cannot be debited a session accepts no IBAN"],
  ),
  putBack(
    "IBANs that cannot be debited are not counted on the page",
    [
      [
        "payment-page/submit.ts",
        'await countInvalidIban(deps, { ...input, source: "hosted_page" });',
        "void countInvalidIban;",
      ],
    ],
    [LIMITS, "IBANs that cannot be debited count on the page too"],
  ),
  putBack(
    "a payment that a limit refused is not recorded",
    [["sessions/limit-store.ts", "      where not r.is_noted", "      where false and not r.is_noted"]],
    [LIMITS, "a limit that refused a payment is in the session's history once"],
  ),
  putBack(
    "the token of a paid session shows its customer for ever",
    [
      [
        "sessions/session.ts",
        "return closedAt !== null && later(closedAt, days * DAY_MS) <= now;",
        "return closedAt === null && later(now, days * DAY_MS) <= now;",
      ],
    ],
    [LIMITS, "long after its session ended a token shows status, amount and currency"],
  ),
  putBack(
    "the metrics are open in production",
    [
      [
        "app.ts",
        'return environment === "staging" ? "anyone" : "nobody";',
        'return environment === "staging" ? "anyone" : "anyone";',
      ],
    ],
    [EDGE, "metrics require their token"],
  ),
  putBack(
    "the metrics may be read without a rate limit",
    [["http/probes.ts", '    limit: "metrics",\n', ""]],
    [EDGE, "metrics require their token"],
  ),
  putBack(
    "each readiness probe queries the database",
    [
      [
        "http/probes.ts",
        "if (answer === null || monotonicMs() - askedMs >= READY_MS) answer = askAnew();",
        "if (answer === null || monotonicMs() - askedMs >= 0 * READY_MS) answer = askAnew();",
      ],
    ],
    ["src/http/probes.test.ts", "a database that answers is asked once a second"],
  ),
  putBack(
    "the reference page may be read without a rate limit",
    [["http/docs-page.ts", ', hidden: true, limit: "docs" }', ", hidden: true }"]],
    [EDGE, "the reference page is rate-limited"],
  ),
  putBack(
    "a key can grant scopes that it does not have",
    [
      [
        "tenants/api-keys/granting.ts",
        "giver === null ? [] : added.filter",
        "giver === null || added.length >= 0 ? [] : added.filter",
      ],
    ],
    [KEYS, "a key gives no scope that it lacks"],
  ),
  putBack(
    "a key can change its own expiry",
    [
      [
        "tenants/api-keys/granting.ts",
        "if (giver === null || !outlives({ expires_at }, giver)) return null;",
        "if (giver === null || expires_at !== undefined) return null;",
      ],
    ],
    [KEYS, "a key that expires makes and changes no key that expires later"],
  ),
  putBack(
    "the scope management opens exports with whole IBANs",
    [["http/scopes.ts", '  "read",\n', '  "whole_ibans",\n  "read",\n']],
    [KEYS, "each part of management opens its own endpoints"],
  ),
  putBack(
    "a key may call the management API without a rate limit",
    [
      [
        "http/access.ts",
        'limit ?? (managed ? "management" : undefined)',
        "limit ?? (managed ? undefined : undefined)",
      ],
    ],
    [KEYS, "a key's calls to the management API are limited"],
  ),
  putBack(
    "the service works as the owner of its own database",
    [
      [
        "start-database.ts",
        "url: await ensureEmbeddedRole(server.url)",
        "url: (await ensureEmbeddedRole(server.url), server.url)",
      ],
    ],
    ["src/start-database.test.ts", "the service's own server is used as a role that owns nothing"],
  ),
  putBack(
    "the service's role is a superuser",
    [["db/service-role.ts", "login nosuperuser", "login superuser"]],
    [ROLE, "the service's role cannot run a program on the server"],
    [ROLE, "the service's role is not a superuser"],
  ),
  putBack(
    "the service's role may change history",
    [["db/service-role.ts", 'revoke update on ${HISTORY.join(", ")} from ${to};', ""]],
    [ROLE, "the service's role has no right to change history"],
  ),
  guarded(
    {
      name: "the owner of the tables can change history",
      changes: [],
      sql: "drop trigger audit_log_is_append_only on audit_log; drop trigger session_moves_is_append_only on session_moves",
    },
    [ROLE, "the owner's statements do not change history either"],
  ),
  putBack(
    "an origin may be a directive or a star",
    [
      [
        "management/web-address.ts",
        'if (!HOST.test(url.hostname)) return "Enter a valid URL.";',
        "void HOST;",
      ],
    ],
    ["src/management/web-address.test.ts", "everything else is refused wherever plain http may go"],
  ),
  putBack(
    "responses from the operator's network are shown to tenants",
    [
      [
        "webhooks/delivery/send.ts",
        "(options.showPrivate ?? true) ||",
        "(options.showPrivate ?? true) || true ||",
      ],
    ],
    ["tests/webhooks-targets.test.ts", "responses of private targets are shown only when"],
  ),
  putBack(
    "a session's token stores any number of answers",
    [
      [
        "http/idempotency.ts",
        'caller.startsWith("session:") ? KEYS_OF_SESSION_MAX : null',
        "KEYS_OF_SESSION_MAX && null",
      ],
    ],
    [
      LIMITS,
      "with a paid session's token no more than 100 Idempotency-Keys are stored, and these are still replayed",
    ],
  ),
  putBack(
    "an address with its port is no address",
    [["http/client-ip.ts", "withoutPort(hop.trim())", "hop.trim() || withoutPort(hop)"]],
    [CLIENT, "10.1.1.1 forwarding 198.51.100.1:5678 is 198.51.100.1"],
    [CLIENT, "10.1.1.1 forwarding [2001:db8::1]:443 is 2001:db8::1"],
  ),
  putBack(
    "a flood of addresses resets all counts",
    [
      [
        "http/rate-limit.ts",
        "if (known === undefined && full) return this.#sharedLog(key, count);",
        "if (known === undefined && full) this.#turn(now);",
      ],
    ],
    ["src/http/rate-limit.test.ts", "a flood of keys resets no count"],
  ),
  putBack(
    "responses of receivers are kept for ever",
    [
      [
        "webhooks/delivery/forget.ts",
        "where at < :before and response_body is not null",
        "where at < :before and response_body is null",
      ],
    ],
    ["tests/webhooks-management.test.ts", "a receiver's response is deleted after the days of the setting"],
  ),
  putBack(
    "reading whole IBANs is not recorded",
    [["mandates/files/routes.ts", "    if (whole) {\n", "    if (whole && tenant < 0) {\n"]],
    [
      "tests/mandates/files.test.ts",
      "an export masks every account unless requested otherwise, and then the audit log says who has seen them",
    ],
  ),
];
