/**
 * Announces changes of the page's table or timeline, and does not apply them, so that nothing moves under the
 * pointer.
 */

const LOOK_EVERY_MS = 20_000;

/** Starts polling, if the page has a place for the notice. */
export function lookForNews(): void {
  const notice = document.querySelector<HTMLElement>("[data-news]");
  if (notice === null) return;
  const shown = new Set(linesOf(document));
  const timer = setInterval(() => {
    if (!document.hidden && document.querySelector("[data-dialog]") === null) void look();
  }, LOOK_EVERY_MS);

  async function look(): Promise<void> {
    const answer = await fetch(location.href, { headers: { "x-live": "1" } }).catch(() => null);
    // Unavailable or busy: tried again later. Redirected: the person is signed out.
    if (answer?.redirected === true) clearInterval(timer);
    if (answer === null || !answer.ok || answer.redirected) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const news = linesOf(page).filter((line) => !shown.has(line)).length;
    if (news > 0) say(news);
  }

  function say(number: number): void {
    const text = notice?.dataset["news"]?.replace("{number}", String(number)) ?? "";
    if (notice?.textContent === text) return;
    const link = document.createElement("a");
    link.className = "button";
    link.href = location.href;
    link.textContent = text;
    notice?.replaceChildren(link);
  }
}

/** The text of each line without relative times, which change on their own. */
function linesOf(page: Document): readonly string[] {
  return [...page.querySelectorAll("main tbody tr, main .timeline > li")].map((line) => {
    const copy = line.cloneNode(true) as Element;
    for (const time of copy.querySelectorAll("time")) time.remove();
    const links = [...copy.querySelectorAll("a")].map(({ href }) => href);
    return [...links, copy.textContent?.replace(/\s+/g, " ")].join(" ");
  });
}
