/**
 * Finds a Chromium for the browser tests and the screenshots: a given one, the package's, or the machine's. The
 * package's is the same on every machine, and headless, which takes half the time.
 */
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface Chromium {
  readonly path: string;
  /** The environment of its process. */
  readonly env: Readonly<Record<string, string>>;
}

const INSTALLED = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const CACHE = join(import.meta.dirname, "../node_modules/.cache/chromium");

/** The package's own looks for its fonts below /tmp only, and Chromium ends itself when it finds no font at all. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(CACHE, "fonts")}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${join(CACHE, "fonts-cache")}</cachedir>
</fontconfig>
`;

/** Null if there is no browser: the package exists only for Linux on x64. */
export async function findChromium(): Promise<Chromium | null> {
  const named = process.env["CHROMIUM_PATH"];
  if (named !== undefined && named !== "") return { path: named, env: {} };
  if (process.platform === "linux" && process.arch === "x64") return unpackedChromium();
  const installed = INSTALLED.find((path) => existsSync(path));
  return installed === undefined ? null : { path: installed, env: {} };
}

/**
 * The package unpacks into the folder for temporary files; a separate folder keeps it for the next run. It unpacks
 * its libraries (NSS) only if it detects the platform that it was made for.
 */
async function unpackedChromium(): Promise<Chromium> {
  await mkdir(CACHE, { recursive: true });
  const before = { ...process.env };
  process.env["TMPDIR"] = CACHE;
  process.env["AWS_EXECUTION_ENV"] = "AWS_Lambda_nodejs22.x";
  try {
    const { default: chromium } = await import("@sparticuz/chromium");
    const path = await chromium.executablePath();
    await writeFile(join(CACHE, "fonts.conf"), FONTS);
    return { path, env: { LD_LIBRARY_PATH: join(CACHE, "al2023/lib"), FONTCONFIG_PATH: CACHE } };
  } finally {
    for (const name of ["TMPDIR", "AWS_EXECUTION_ENV", "LD_LIBRARY_PATH", "FONTCONFIG_PATH"]) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
}
