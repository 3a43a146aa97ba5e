/**
 * The receivers of docs/webhooks, each in its own language, against the canonical vectors, and Python as an independent
 * check of our own code.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { canonicalJson, type Canonical } from "../src/lib/canonical-json.ts";
import { listenForWebhooks } from "../tools/local-receiver.ts";
import { startReceiver } from "./support/receiver.ts";
import { SECRET, startOutbox } from "./support/webhooks.ts";

const DOCS = join(import.meta.dirname, "../docs/webhooks");
const EXAMPLES: readonly (readonly [command: string, ...args: string[]])[] = [
  [process.execPath, "verify.ts"],
  ["python3", "verify.py"],
  ["php", "verify.php"],
  ["java", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "Verify.java"],
  ["go", "run", "verify.go"],
  ["ruby", "verify.rb"],
];
const file = new URL("vectors/webhook-canonical.json", import.meta.url);
const { secret, vectors } = JSON.parse(await readFile(file, "utf8")) as {
  readonly secret: string;
  readonly vectors: readonly Record<string, string>[];
};
/** Starting some languages takes seconds. These three vectors together have every kind of character. */
const CHOSEN = ["typical", "emoji_vs_bmp_key", "line_separators"];

function isThere(command: string): boolean {
  return spawnSync(command, [command === "go" ? "version" : "--version"]).status === 0;
}

for (const [command, ...args] of EXAMPLES) {
  const skip = !isThere(command) && `${command} is not on this machine`;
  test(`the example ${args.at(-1)} distinguishes genuine webhooks from others`, { skip }, () => {
    for (const vector of vectors.filter(({ name }) => CHOSEN.includes(name ?? ""))) {
      const exit = (signature: string | undefined, body: string | undefined) =>
        spawnSync(command, args, {
          cwd: DOCS,
          input: body,
          env: { ...process.env, SECRET: secret, SIGNATURE: signature },
        }).status;
      const [utf8, ascii] = [vector["hmac_sha256_utf8_form"], vector["hmac_sha256_python_form"]];
      assert.equal(exit(utf8, vector["rfc8785_like_utf8"]), 0);
      if (vector["name"] !== "typical") continue;
      assert.equal(exit(ascii, `${vector["python_json_dumps_default"]} `), 1);
      assert.equal(exit("00".repeat(32), vector["rfc8785_like_utf8"]), 1);
      assert.equal(exit("", vector["rfc8785_like_utf8"]), 1);
    }
  });
}

/** Serialises each body again from its parsed JSON, by Python's rules, and compares bytes and signature. */
const JUDGE = `
import hashlib, hmac, json, sys
for one in json.load(sys.stdin):
    text = json.dumps(json.loads(one["body"]), sort_keys=True, separators=(",", ":"), ensure_ascii=one["ascii"])
    made = hmac.new(one["secret"].encode(), text.encode(), hashlib.sha256).hexdigest()
    print("ok" if text == one["body"] and made == one["signature"] else "wrong: " + text)
`;

test(
  "Python rebuilds each sent body and its signature",
  { skip: !isThere("python3") && "no Python" },
  async () => {
    const outbox = await startOutbox();
    const receiver = await startReceiver();
    const fields = { "\u{1f600}": "a", "\ufb33": "b", "10": "c", "9": "d", __proto__x: "e", Ä: "f" };
    const utf8 = await outbox.profile(receiver.url, { payloadFields: fields });
    const ascii = await outbox.profile(`${receiver.url}/ascii`, { payloadFields: fields, asciiEscape: true });
    const payload = {
      a: "Jörg \u{1f600}\u2028",
      b: null,
      c: true,
      d: 'q"\\/\u007f\t\u0001',
      e: "</b>",
      f: 12,
    };
    for (const profile of [utf8, ascii])
      await outbox.event(await outbox.session(profile), "payment_session.completed", payload);
    await outbox.worker().settled();
    const sent = receiver.received.map(({ path, body, headers }) => ({
      body,
      secret: SECRET,
      signature: headers["x-service-signature"],
      ascii: path.endsWith("ascii"),
    }));
    assert.equal(sent.length, 2);
    const judged = spawnSync("python3", ["-c", JUDGE], { input: JSON.stringify(sent) });
    assert.equal(judged.stdout.toString(), "ok\nok\n", judged.stderr.toString());
    await outbox.close();
    await receiver.close();
  },
);

test("Python serialises random values as we do", { skip: !isThere("python3") && "no Python" }, () => {
  const strange = ["\u{10ffff}", "\ue000", "\ud7ff", "\u0080", "\0", "a\u0301", "/", "\u007f", "10", "9", ""];
  let value: Canonical = { list: strange };
  for (const key of strange) value = { [key]: value, x: [key, -1, 0, true, null], [`${key}z`]: key };
  const all = [true, false].map((ascii) => ({
    body: canonicalJson(value, { asciiEscape: ascii }),
    secret: "s",
    signature: "",
    ascii,
  }));
  const judged = spawnSync("python3", ["-c", JUDGE.replace(' and made == one["signature"]', "")], {
    input: JSON.stringify(all),
  });
  assert.equal(judged.stdout.toString(), "ok\nok\n", judged.stderr.toString());
});

test("the receiver for development verifies requests and prints errors", async () => {
  const outbox = await startOutbox();
  const told: string[] = [];
  const local = await listenForWebhooks(0, SECRET, (text) => told.push(text));
  for (const secret of [SECRET, "not-the-same-secret"]) {
    await outbox.event(await outbox.session(await outbox.profile(local.url, { secret })));
  }
  await outbox.worker().settled();
  const statuses = await outbox.rows("select response_code as c from webhook_deliveries order by 1");
  assert.deepEqual(
    statuses.map((row) => row["c"] as number),
    [200, 401],
  );
  const [right, wrong] = told.toSorted((a) => (a.includes("is right") ? -1 : 1));
  assert.match(
    right ?? "",
    /payment_session\.completed · delivery [0-9a-f-]{36} · attempt 1\nThe signature is right/,
  );
  assert.match(wrong ?? "", /No rule explains/);
  await local.close();
  await outbox.close();
});
