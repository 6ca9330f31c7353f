/** What only Node.js can do: files, and a journal in one. */
import { openAsBlob } from "node:fs";
import { appendFile, mkdir, readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import type { Journal, Source } from "./index.js";

/** The file at a path, which is read as it is sent. */
export async function sourceOf(path: string, folder?: string): Promise<Source> {
  const { mtimeMs } = await stat(path);
  return { name: basename(path), content: await openAsBlob(path), lastModified: mtimeMs, ...(folder && { folder }) };
}

/** All files below a folder but the hidden ones, in order of name, with their folders. */
export async function* sourcesIn(root: string, at = root): AsyncGenerator<Source, void, undefined> {
  const entries = await readdir(at, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(at, entry.name);
    if (entry.name.startsWith(".")) continue;
    if (entry.isDirectory()) yield* sourcesIn(root, path);
    else if (entry.isFile()) yield await sourceOf(path, relative(root, dirname(path)).split(sep).join("/"));
  }
}

/** A journal in a file: one line for each entry, so that a crash costs the last one. */
export class FileJournal implements Journal {
  readonly #path: string;
  #ids: Promise<Map<string, string>> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  async get(key: string): Promise<string | undefined> {
    return (await (this.#ids ??= this.#read())).get(key);
  }

  async set(key: string, id: string): Promise<void> {
    (await (this.#ids ??= this.#read())).set(key, id);
    await appendFile(this.#path, `\n${JSON.stringify([key, id])}\n`, { mode: 0o600 }); // a torn line must not swallow the next
  }

  async #read(): Promise<Map<string, string>> {
    await mkdir(dirname(this.#path), { recursive: true });
    const text = await readFile(this.#path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
      return "";
    });
    const ids = new Map<string, string>();
    for (const line of text.split("\n")) {
      try {
        const [key, id] = JSON.parse(line) as [string, string];
        ids.set(key, id);
      } catch {
        // It is empty, or was torn.
      }
    }
    return ids;
  }
}
