/** Calls with a browser's cookies; redirects are not followed. */
import { request } from "node:http";
import type { Response } from "./service.ts";

export function callerFor(url: string, from: string, cookies: Map<string, string>) {
  return (
    method: string,
    path: string,
    body: string | null,
    headers: Readonly<Record<string, string>>,
  ): Promise<Response> =>
    new Promise((resolve, reject) => {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const outgoing = request(url + path, {
        method,
        localAddress: from,
        agent: false,
        headers: {
          ...(cookie === "" ? {} : { cookie }),
          ...(body === null
            ? {}
            : {
                "content-type": "application/x-www-form-urlencoded",
                "content-length": Buffer.byteLength(body),
              }),
          ...headers,
        },
      });
      outgoing.on("error", reject);
      outgoing.on("response", (response) => {
        for (const line of response.headers["set-cookie"] ?? []) keep(cookies, line);
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: {} });
        });
      });
      outgoing.end(body ?? undefined);
    });
}

function keep(cookies: Map<string, string>, line: string): void {
  const [pair = ""] = line.split(";");
  const at = pair.indexOf("=");
  const name = pair.slice(0, at);
  if (/Max-Age=0/i.test(line)) cookies.delete(name);
  else cookies.set(name, pair.slice(at + 1));
}
