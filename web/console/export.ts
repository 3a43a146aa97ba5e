/** Downloads an export and shows its progress in rows. Without it the browser downloads the file itself. */

/** Before each piece: the number of rows so far, and the piece's bytes. */
const HEAD_BYTES = 8;
/** Pieces of at least this size are handed to the browser, which keeps large ones outside the page's memory. */
const HANDED_OVER_BYTES = 4_000_000;

/** Reads an export's frames as they arrive. */
interface Heard {
  readonly rows: number;
  readonly piece: Uint8Array;
}

/** Adds progress to the page's export links. */
export function showProgress(): void {
  const box = document.querySelector<HTMLElement>("[data-progress]");
  if (box === null) return;
  const links = [...document.querySelectorAll<HTMLAnchorElement>("[data-export]")];
  let running: AbortController | null = null;
  for (const link of links) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      if (running !== null) return;
      running = new AbortController();
      void download(link, box, running.signal).finally(() => (running = null));
    });
  }
  box.querySelector("[data-stop]")?.addEventListener("click", () => running?.abort());
}

async function download(link: HTMLAnchorElement, box: HTMLElement, signal: AbortSignal): Promise<void> {
  const bar = box.querySelector("progress");
  const text = box.querySelector("[data-count]");
  const result = document.querySelector("[data-result]");
  if (bar === null || text === null || result === null) return;
  const number = new Intl.NumberFormat(document.documentElement.lang);
  const words = (message: string | undefined, rows = 0) =>
    (message ?? "").replace("{rows}", number.format(rows));
  box.hidden = false;
  bar.removeAttribute("value");
  text.textContent = words(link.dataset["rows"]);
  result.textContent = "";
  try {
    const answer = await fetch(link.href, { headers: { "x-progress": "1" }, signal });
    if (!answer.ok || answer.redirected || answer.body === null) throw new Error(`${answer.status}`);
    let [file, waiting, size, done] = [new Blob(), [] as BlobPart[], 0, 0];
    for await (const { rows, piece } of framesOf(answer.body)) {
      waiting.push(piece as BlobPart);
      size += piece.length;
      done = rows;
      if (size >= HANDED_OVER_BYTES) [file, waiting, size] = [new Blob([file, ...waiting]), [], 0];
      text.textContent = words(link.dataset["rows"], rows);
      if (bar.max > 1) bar.value = rows;
    }
    save(new Blob([file, ...waiting]), nameOf(answer) ?? "payments");
    result.textContent = words(link.dataset["done"], done);
  } catch {
    // No message if the person stopped it.
    if (!signal.aborted) result.textContent = words(link.dataset["broken"]);
  }
  box.hidden = true;
}

/** @throws Error if the last frame is missing, which means that the file is incomplete. */
async function* framesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Heard> {
  const reader = body.getReader();
  let held = new Uint8Array();
  for (;;) {
    while (held.length >= HEAD_BYTES) {
      const head = new DataView(held.buffer, held.byteOffset);
      const [rows, bytes] = [head.getUint32(0), head.getUint32(4)];
      if (bytes === 0) return yield { rows, piece: new Uint8Array() };
      if (held.length < HEAD_BYTES + bytes) break;
      yield { rows, piece: held.slice(HEAD_BYTES, HEAD_BYTES + bytes) };
      held = held.subarray(HEAD_BYTES + bytes);
    }
    const { done, value } = await reader.read();
    if (done) throw new Error("The file broke off.");
    const longer = new Uint8Array(held.length + value.length);
    longer.set(held);
    longer.set(value, held.length);
    held = longer;
  }
}

function nameOf(answer: Response): string | null {
  return /filename="([^"]+)"/.exec(answer.headers.get("content-disposition") ?? "")?.[1] ?? null;
}

function save(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
