import type { Client } from "./client.js";
import type { Options, Schemas } from "./types.js";
import type { Progress, Source } from "./upload.js";

/** Remembers which files a service has accepted, over interruptions. In Node.js FileJournal is one; in browsers it may be over IndexedDB. */
export interface Journal {
  /** The id that a file was accepted under, by what is known of it. */
  get(key: string): Promise<string | undefined>;
  set(key: string, id: string): Promise<void>;
}

/** A journal that lasts as long as the program. */
export class MemoryJournal implements Journal {
  readonly #ids = new Map<string, string>();
  async get(key: string): Promise<string | undefined> {
    return this.#ids.get(key);
  }
  async set(key: string, id: string): Promise<void> {
    this.#ids.set(key, id);
  }
}

/** How a batch is sent. */
export interface BatchOptions extends Options {
  /** Where to remember what was accepted; without one nothing is resumed. */
  journal?: Journal;
  /** Uploads at a time: 4. */
  jobs?: number;
  /** Follow each file until the service is done with it. */
  wait?: boolean;
  documentTypeId?: string;
  matterId?: string;
  metadata?: Record<string, unknown>;
  onProgress?: (source: Source, progress: Progress) => void;
}

/** What became of one file of a batch. */
export interface Outcome {
  source: Source;
  /** As the service last described it. */
  file?: Schemas["File"];
  /** An earlier run had sent it. */
  resumed: boolean;
  /** Why it is of no use. */
  error?: unknown;
}

/** A journal that cannot be read or written. What the service accepted would be sent again by the next run, so it ends a batch. */
export class JournalError extends Error {
  override readonly name = "JournalError";
  constructor(
    /** The file that it is about: the service may have accepted it. */
    readonly outcome: Outcome,
    cause: unknown,
  ) {
    super(`the journal of what was sent cannot be used: ${String(cause)}`, { cause });
  }
}

/** A file of a batch, with what the journal knows of it. */
interface Item {
  outcome: Outcome;
  key: string;
  /** The id that it was accepted under. */
  known?: string | undefined;
}

/** Of so many files that were sent before, the service is asked at once. */
const together = 100;

/** Sends those of the files that the service does not have yet, and yields each once nothing more will happen to it. One that fails does not stop the others; a JournalError and the signal do. */
export async function* uploadAll(client: Client, sources: Iterable<Source> | AsyncIterable<Source>, options: BatchOptions = {}): AsyncGenerator<Outcome, void, undefined> {
  const stop = new AbortController();
  const { signal } = stop;
  options.signal?.throwIfAborted();
  options.signal?.addEventListener("abort", () => stop.abort(options.signal?.reason), { signal });
  const running = new Set<Promise<Outcome>>();
  const settled = async (): Promise<Outcome> => {
    const [outcome, task] = await Promise.race([...running].map(async (task) => [await task, task] as const));
    running.delete(task);
    return outcome;
  };
  const start = async function* (item: Item): AsyncGenerator<Outcome, void, undefined> {
    const task = send(client, item, { ...options, signal });
    task.catch(() => {}); // it may fail while nobody waits for it; settled has the error
    running.add(task);
    if (running.size >= (options.jobs ?? 4)) yield await settled();
  };
  const resume = async function* (items: Item[]): AsyncGenerator<Outcome, void, undefined> {
    const files = new Map<string | undefined, Schemas["File"]>();
    try {
      const ids = items.flatMap(({ known }) => known ?? []);
      if (ids.length > 0) for (const file of (await client.listFiles({ query: { ids, limit: together }, signal })).items) files.set(file.id, file);
    } catch (error) {
      signal.throwIfAborted();
      for (const { outcome } of items) yield { ...outcome, error };
      return;
    }
    for (const item of items) {
      const file = files.get(item.known);
      if (file) Object.assign(item.outcome, { file, resumed: true });
      if (file && !options.wait) yield item.outcome;
      else yield* start(item);
    }
  };
  try {
    let before: Item[] = [];
    for await (const source of sources) {
      signal.throwIfAborted();
      const item = await recall(source, options);
      if (item.outcome.error !== undefined) yield item.outcome;
      else if (!item.known) yield* start(item);
      else if (before.push(item) === together) {
        yield* resume(before);
        before = [];
      }
    }
    yield* resume(before);
    while (running.size > 0) yield await settled();
  } finally {
    stop.abort(); // nobody asks for the rest
    await Promise.allSettled(running);
  }
}

const broken = (outcome: Outcome) => (cause: unknown) => {
  throw new JournalError(outcome, cause);
};

/** What the journal knows of a file. */
async function recall(source: Source, { journal, documentTypeId, matterId, metadata }: BatchOptions): Promise<Item> {
  const outcome: Outcome = { source, resumed: false };
  let key: string;
  try {
    key = await keyOf(source, [documentTypeId, matterId, metadata]);
  } catch (error) {
    return { outcome: { ...outcome, error }, key: "" };
  }
  return { outcome, key, known: await journal?.get(key).catch(broken(outcome)) };
}

/** Sends a file that the service does not have, and follows one that it has if that is asked for. */
async function send(client: Client, { outcome, key, known }: Item, { journal, wait, onProgress, documentTypeId, matterId, metadata, signal }: BatchOptions): Promise<Outcome> {
  const { source } = outcome;
  const aborts = signal ? { signal } : {};
  try {
    if (!outcome.file) {
      const [uploaded] = await client.uploadFile({
        files: [source],
        idempotencyKey: known ? await digest(key + known) : key, // one that is gone is another upload
        ...aborts,
        ...(documentTypeId && { documentTypeId }),
        ...(matterId && { matterId }),
        ...(metadata && { metadata }),
        ...(onProgress && { onProgress: (p: Progress) => onProgress(source, p) }),
      });
      if (!uploaded?.file) throw new Error(uploaded?.error.error ?? "there is no answer about it");
      outcome.file = uploaded.file;
      await journal?.set(key, uploaded.file.id).catch(broken(outcome));
    }
    if (wait) {
      await client.waitForFile(outcome.file.id, aborts);
      outcome.file = await client.getFile({ path: { fileId: outcome.file.id }, ...aborts });
    }
  } catch (error) {
    if (error instanceof JournalError) throw error;
    signal?.throwIfAborted();
    outcome.error = error;
  }
  return outcome;
}

/** What tells a file from others: where it was, its size and its time, or its content. */
async function keyOf({ name, folder, content, lastModified }: Source, more: unknown[]): Promise<string> {
  const known = lastModified ?? (await digest(await content.arrayBuffer()));
  return digest(JSON.stringify([folder ?? "", name, content.size, known, ...more]));
}

async function digest(data: string | ArrayBuffer): Promise<string> {
  const sum = await crypto.subtle.digest("SHA-256", typeof data === "string" ? new TextEncoder().encode(data) : data);
  return Array.from(new Uint8Array(sum), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
