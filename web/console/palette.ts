/**
 * The command palette: the search box shows pages and results while the person types. Without it the form leads to
 * the search page.
 */

const TYPED_MS = 150;

/** Gives the search box its list of results. */
export function openPalette(): void {
  const input = document.querySelector<HTMLInputElement>("[data-search]");
  const list = document.querySelector<HTMLElement>("[data-found]");
  const form = input?.form ?? null;
  if (input === null || list === null || form === null) return;
  let asked = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const close = (): void => {
    clearTimeout(timer);
    // A response in flight comes too late.
    asked += 1;
    list.hidden = true;
  };

  const ask = async (): Promise<void> => {
    asked += 1;
    const own = asked;
    const body = new URLSearchParams({ ...fieldsOf(form), part: "results" });
    const answer = await fetch(form.action, { method: "POST", body }).catch(() => null);
    if (own !== asked || answer === null || !answer.ok || answer.redirected) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (own !== asked) return;
    list.replaceChildren(...page.body.childNodes);
    list.hidden = false;
  };

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => void ask(), TYPED_MS);
  });
  input.addEventListener("focus", () => void ask());
  form.addEventListener("focusout", ({ relatedTarget }) => {
    if (!form.contains(relatedTarget as Node | null)) close();
  });
  form.addEventListener("submit", close);
  form.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    const links = [...list.querySelectorAll<HTMLAnchorElement>("a")];
    const at = links.findIndex((link) => link === document.activeElement);
    if (event.key === "ArrowDown") (links[at + 1] ?? input).focus();
    else if (event.key === "ArrowUp") (at < 0 ? links.at(-1) : (links[at - 1] ?? input))?.focus();
    else if (event.key === "Escape") {
      input.focus();
      close();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
}

function fieldsOf(form: HTMLFormElement): Record<string, string> {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
}
