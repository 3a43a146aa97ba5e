/**
 * The console's one script: the search key and its palette, copy buttons, dialogs, keys in tables, changes of lists,
 * progress of exports. Every page works without it.
 */
import { showProgress } from "./export.ts";
import { lookForNews } from "./live.ts";
import { openPalette } from "./palette.ts";

openPalette();
lookForNews();
showProgress();

const EDITABLE = "input, select, textarea, [contenteditable]";

document.addEventListener("keydown", (event) => {
  const target = event.target as Element;
  const typing = target.matches(EDITABLE);
  if (
    (event.key === "/" && !typing) ||
    (event.key.toLowerCase() === "k" && !event.shiftKey && (event.ctrlKey || event.metaKey))
  ) {
    const search = document.querySelector<HTMLInputElement>("[data-search]");
    if (search !== null) {
      event.preventDefault();
      search.focus();
      search.select();
    }
  } else if (event.key === "Escape") {
    leave();
  } else if (!typing && (event.key === "j" || event.key === "k")) {
    step(event.key === "j" ? 1 : -1);
  }
});

/** Closes a dialog by its link, menus and filters in place. */
function leave(): void {
  const out = document.querySelector<HTMLAnchorElement>("[data-dialog] a[data-close]");
  if (out !== null) return out.click();
  for (const menu of document.querySelectorAll<HTMLDetailsElement>(
    "details.menu[open], .filters details[open]",
  )) {
    menu.open = false;
    menu.querySelector("summary")?.focus();
  }
}

// On a phone the navigation and the tabs are wider than the window.
for (const here of document.querySelectorAll(".rail [aria-current], .tabs [aria-current]"))
  here.scrollIntoView({ block: "nearest", inline: "center" });

/** The next or the previous row of the list. */
function step(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLAnchorElement>("main a.row, main .rows a")];
  const at = rows.findIndex((row) => row === document.activeElement);
  rows[Math.min(Math.max(at + by, 0), rows.length - 1)]?.focus();
}

for (const button of document.querySelectorAll<HTMLButtonElement>("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const before = [...button.childNodes];
    if (!(await isCopied(button.dataset["copy"] ?? ""))) {
      const shown = button.previousElementSibling;
      if (shown !== null) getSelection()?.selectAllChildren(shown);
      return;
    }
    button.replaceChildren("✓");
    setTimeout(() => button.replaceChildren(...before), 1_200);
  });
}

/** False where the browser has no clipboard for the page, as over plain HTTP, or refuses it. */
async function isCopied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

const dialog = document.querySelector<HTMLElement>("[data-dialog]");
if (dialog !== null) {
  const inside = [
    ...dialog.querySelectorAll<HTMLElement>("a, button, input:not([type=hidden]), select, textarea"),
  ];
  // Enter must not trigger an action that cannot be undone.
  const isDangerous = dialog.querySelector("button.bad") !== null;
  (isDangerous ? inside.findLast((one) => "close" in one.dataset) : inside[0])?.focus();
  dialog.addEventListener("keydown", (event) => {
    if (event.key !== "Tab") return;
    const [first, last] = [inside[0], inside.at(-1)];
    if (event.shiftKey ? document.activeElement === first : document.activeElement === last) {
      event.preventDefault();
      (event.shiftKey ? last : first)?.focus();
    }
  });
}

/** A click outside an open menu or filter closes it. */
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>(
    "details.menu[open], .filters details[open]",
  )) {
    if (!menu.contains(event.target as Node)) menu.open = false;
  }
});

/** A form is sent once: a second click, or Enter held down, does nothing. */
for (const form of document.querySelectorAll<HTMLFormElement>("form[method=post]")) {
  let sent = false;
  form.addEventListener("submit", (event) => {
    if (sent) event.preventDefault();
    sent = true;
  });
}
globalThis.addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
