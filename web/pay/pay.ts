/** Makes the payment page more convenient; it works without this script. */

import { normaliseIban } from "../../src/sepa/iban.ts";

const AFTER_CLICK_MS = 250;

const iban = document.querySelector<HTMLInputElement>("#iban");
const form = document.querySelector<HTMLFormElement>("#pay");
if (iban !== null && form !== null) enhanceForm(form, iban);
submitLanguage();
watchState();
leaveAfterAWhile();
showPrint();
tellFirstSeen();
// A page from the back-forward cache may show an old state.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

function enhanceForm(form: HTMLFormElement, iban: HTMLInputElement): void {
  const texts = JSON.parse(form.dataset["texts"] ?? "{}") as Record<string, string>;
  const lengths = new Map(
    (form.dataset["lengths"] ?? "").split(" ").map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
  );
  const holder = form.querySelector<HTMLInputElement>("#holder");
  const accepted = form.querySelector<HTMLInputElement>("#accepted");
  const button = form.querySelector<HTMLButtonElement>(".pay");
  const address = form.querySelector<HTMLElement>("#address");
  const city = form.querySelector<HTMLInputElement>("#city");
  const asksAddress = (typed: string) =>
    typed.length > 1 && (form.dataset["address"] ?? "").split(" ").includes(typed.slice(0, 2));
  const ibanHint = document.getElementById("iban-hint");
  const hintAtFirst = ibanHint?.textContent ?? "";
  let touched = false;
  let lookedUp = "";

  iban.addEventListener("input", () => {
    group(iban);
    const typed = normaliseIban(iban.value);
    if (address !== null) address.hidden = !asksAddress(typed);
    const complete = typed.length >= 15 && typed.length === lengths.get(typed.slice(0, 2));
    followCountry(typed);
    if (touched || complete || isElsewhere(typed)) show(iban, fault(typed));
    if (complete) void showBank(typed);
    else hint("");
  });
  // After a delay, because a new line would move the button away from the finger.
  iban.addEventListener("blur", () => {
    setTimeout(() => {
      if (iban.value === "") return;
      touched = true;
      show(iban, fault(normaliseIban(iban.value)));
    }, AFTER_CLICK_MS);
  });
  document.querySelectorAll<HTMLButtonElement>("[data-iban]").forEach((account) => {
    account.addEventListener("click", () => {
      iban.value = account.dataset["iban"] ?? "";
      iban.dispatchEvent(new Event("input"));
    });
  });
  holder?.addEventListener("input", () => show(holder, null));
  city?.addEventListener("input", () => show(city, null));
  accepted?.addEventListener("input", () => show(accepted, null));

  form.addEventListener("submit", (event) => {
    if (form.dataset["sent"] !== undefined || button?.getAttribute("aria-disabled") === "true")
      return event.preventDefault();
    touched = true;
    const wrong = [
      show(iban, fault(normaliseIban(iban.value))),
      holder !== null && show(holder, holder.value.trim() === "" ? say("holderMissing") : null),
      city !== null &&
        show(
          city,
          asksAddress(normaliseIban(iban.value)) && city.value.trim() === "" ? say("cityMissing") : null,
        ),
      accepted !== null && show(accepted, accepted.checked ? null : say("mandateMissing")),
    ];
    if (wrong.includes(true)) {
      event.preventDefault();
      form.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
      return;
    }
    form.dataset["sent"] = "";
    button?.setAttribute("aria-disabled", "true");
    hint(say("sending"), "sending");
  });

  /** The error of an IBAN without separators; null if the script finds none. */
  function fault(typed: string): string | null {
    if (typed === "") return say("ibanMissing");
    if (/[^A-Z0-9]/.test(typed)) return say("ibanCharacters");
    if (!/^[A-Z]{2}/.test(typed)) return say("ibanCountry");
    const code = typed.slice(0, 2);
    const expected = lengths.get(code);
    if (expected === undefined) return say("ibanOutsideSepa");
    if (typed.length !== expected) {
      return say("ibanLength", { country: nameOf(code), expected, actual: typed.length });
    }
    return remainder(typed) === 1 ? null : say("ibanChecksum");
  }

  /** A country without direct debits, reported before the last digit. */
  function isElsewhere(typed: string): boolean {
    return /^[A-Z]{2}/.test(typed) && !lengths.has(typed.slice(0, 2));
  }

  /** The hint depends on the entered country. */
  function followCountry(typed: string): void {
    const code = typed.slice(0, 2);
    const count = lengths.get(code);
    if (ibanHint === null) return;
    ibanHint.textContent =
      count === undefined ? hintAtFirst : say("ibanHint", { country: nameOf(code), count, code });
  }

  /** Shows or removes the error of a field. @returns whether there is one. */
  function show(field: HTMLInputElement, text: string | null): boolean {
    const place = document.getElementById(`${field.id}-error`);
    if (place !== null && place.textContent !== (text ?? "")) place.textContent = text ?? "";
    if (text === null) field.removeAttribute("aria-invalid");
    else field.setAttribute("aria-invalid", "true");
    return text !== null;
  }

  /** The bank's name as soon as it is known; a payment never waits for it. */
  async function showBank(typed: string): Promise<void> {
    if (typed === lookedUp || fault(typed) !== null) return;
    lookedUp = typed;
    const [path = "", token = ""] = /^(.*)\/pay\/(ps_[^/]+)/.exec(location.pathname)?.slice(1) ?? [];
    try {
      const response = await fetch(`${path}/api/v1/iban-validate/`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ iban: typed }),
      });
      const { bank_name: name, bic, country = "" } = (await response.json()) as Record<string, string | null>;
      if (typed !== normaliseIban(iban.value)) return;
      const facts = [name, bic, country && nameOf(country)].filter(Boolean).join(" · ");
      hint(name ? say("bankFound", { bank: facts }) : "");
    } catch {
      lookedUp = "";
    }
  }

  function hint(text: string, id = "bank"): void {
    const place = document.getElementById(id);
    if (place !== null) place.textContent = text;
  }

  function say(key: string, values: Record<string, string | number> = {}): string {
    return (texts[key] ?? "").replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
  }
}

/** The name of a country in the language of the page. */
function nameOf(code: string): string {
  return new Intl.DisplayNames(document.documentElement.lang, { type: "region" }).of(code) ?? code;
}

/** Groups of four while typing; the cursor stays behind the same character. */
function group(input: HTMLInputElement): void {
  const cursor = input.selectionStart ?? input.value.length;
  const before = normaliseIban(input.value.slice(0, cursor)).length;
  const grouped = normaliseIban(input.value).replace(/.{4}(?=.)/g, "$& ");
  if (grouped === input.value) return;
  input.value = grouped;
  const after = before + Math.max(0, Math.floor((before - 1) / 4));
  input.setSelectionRange(after, after);
}

/** Modulo 97 of an IBAN (ISO 7064): 1 when its check digits match. */
function remainder(iban: string): number {
  let rest = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest;
}

/** The language changes as soon as it is chosen. */
function submitLanguage(): void {
  const select = document.querySelector<HTMLSelectElement>("#lang");
  const button = select?.form?.querySelector("button");
  if (select === null || !button) return;
  button.hidden = true;
  select.addEventListener("change", () => select.form?.submit());
}

/** A waiting page polls its state, and shows a new one. */
function watchState(): void {
  const state = document.querySelector("main")?.getAttribute("data-state") ?? "";
  const everyMs = {
    processing: 2_000,
    held: 2_000,
    "link-in-use": 2_000,
    unclear: 8_000,
    verification: 8_000,
  }[state];
  if (everyMs === undefined) return;
  setInterval(async () => {
    if (document.hidden) return;
    try {
      const response = await fetch(location.pathname);
      // Not parsed as a document, because its styles have another nonce than this page allows.
      const now = /<main data-state="([^"]+)"/.exec(await response.text())?.[1] ?? state;
      // 410: the session has ended. Other errors are not about the payment.
      if ((response.ok || response.status === 410) && now !== state)
        location.replace(`${location.pathname}${location.search}`);
    } catch {
      // The next poll may succeed.
    }
  }, everyMs);
}

/** Back to the shop after the receipt was read; the customer can stay. */
function leaveAfterAWhile(): void {
  const place = document.querySelector<HTMLElement>("#leaving");
  const url = place?.dataset["url"];
  if (place === null || url === undefined) return;
  const texts = JSON.parse(place.dataset["texts"] ?? "[]") as readonly string[];
  const words = place.querySelector("span");
  let seconds = Number(place.dataset["seconds"]);
  const tell = () => {
    if (words !== null) words.textContent = texts[seconds] ?? "";
  };
  const timer = setInterval(() => {
    seconds -= 1;
    tell();
    if (seconds > 0) return;
    clearInterval(timer);
    location.assign(url);
  }, 1_000);
  place.querySelector("button")?.addEventListener("click", () => {
    clearInterval(timer);
    place.hidden = true;
  });
  tell();
  place.hidden = false;
}

function showPrint(): void {
  const button = document.querySelector<HTMLButtonElement>("#print");
  if (button === null) return;
  button.hidden = false;
  button.addEventListener("click", () => print());
}

/** Reports that the customer has seen the page, which excludes programs that only fetch it and background tabs. */
function tellFirstSeen(): void {
  if (document.querySelector("main[data-first]") === null) return;
  const tell = () => {
    if (document.visibilityState !== "visible") return;
    document.removeEventListener("visibilitychange", tell);
    // Its failure does not matter to the customer; it may outlive the page.
    fetch(`${location.pathname}opened/`, {
      method: "POST",
      body: new URLSearchParams(),
      keepalive: true,
    }).catch(() => {});
  };
  document.addEventListener("visibilitychange", tell);
  tell();
}
