import { type Journal, type Source, uploadAll } from "@clausemill/client";
import { api, cache, saying, type Schemas } from "./client.js";
import { renew } from "./live.js";
import { Store } from "./store.js";

/** The upload that runs, or the last one. It goes on while people look at other pages. */
export interface Uploading {
  running: boolean;
  all: number;
  done: number;
  bytes: number;
  sent: number;
  refused: { name: string; why: string }[];
}

export const uploading = new Store<Uploading | null>(null);

let stop: AbortController | undefined;

/** Ends the upload; what was sent stays. */
export const stopUpload = (): void => stop?.abort();

/** Sends files one after the other, behind those that are being sent. Whatever the service has of them already is not sent again. */
export async function upload(sources: Source[]): Promise<void> {
  if (sources.length === 0) return;
  queue.push(...sources);
  const before = uploading.value?.running ? uploading.value : { running: true, all: 0, done: 0, bytes: 0, sent: 0, refused: [] };
  uploading.value = { ...before, all: before.all + sources.length, bytes: before.bytes + sources.reduce((n, s) => n + s.content.size, 0) };
  if (stop) {
    pending.add(sources.length);
    return; // the one that runs takes them
  }
  stop = new AbortController();
  void pending.set(queue.length); // those of before were chosen again, or given up
  const under = new Map<Source, number>();
  let [finished, done] = [0, 0];
  let refused: Uploading["refused"] = [];
  // Of thousands of files each is told with those that arrive at about the same time.
  let telling: ReturnType<typeof setTimeout> | undefined;
  const tell = (): void => {
    clearTimeout(telling);
    telling = undefined;
    if (uploading.value) uploading.value = { ...uploading.value, done, refused, sent: [...under.values()].reduce((a, b) => a + b, finished) };
  };
  const tellSoon = (): void => void (telling ??= setTimeout(tell, 200));
  window.addEventListener("beforeunload", warn);
  try {
    const taken = function* (): Generator<Source> {
      for (let next = queue.shift(); next; next = queue.shift()) yield next;
    };
    const progress = (source: Source, { sent: bytes, total: all }: { sent: number; total: number }): void => {
      if (source.content.size < shownFrom) return; // it is told when it has arrived
      under.set(source, Math.min(source.content.size, Math.round((bytes / Math.max(all, 1)) * source.content.size)));
      tellSoon();
    };
    // More may come while the last ones are sent.
    while (queue.length > 0 && !stop.signal.aborted) {
      for await (const { source, error } of uploadAll(api, taken(), { journal, jobs: 4, signal: stop.signal, onProgress: progress })) {
        under.delete(source);
        finished += source.content.size;
        done++;
        pending.add(-1);
        renew("files", "team");
        if (error !== undefined) refused = [...refused, { name: source.name, why: saying(error) }];
        tellSoon();
      }
    }
  } catch (error) {
    if (!stop.signal.aborted) refused = [...refused, { name: "", why: saying(error) }];
    queue.length = 0;
  } finally {
    await writing; // whoever closes the tab now is not told of files that were not sent
    stop = undefined;
    tell();
    if (uploading.value) uploading.value = { ...uploading.value, running: false };
    window.removeEventListener("beforeunload", warn);
    renew("files", "team");
  }
}

const queue: Source[] = [];

/** From how many bytes on the progress of a single file is shown. */
const shownFrom = 1 << 18;

/** Has the browser ask before it leaves, as a listener of beforeunload. */
export const warn = (event: BeforeUnloadEvent): void => event.preventDefault();

/** What was dropped, with all that is below folders. */
export async function sourcesOf(transfer: DataTransfer): Promise<Source[]> {
  // The list is empty once this function waits, so the entries are taken first.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const sources: Source[] = [];
  for (const entry of entries) for await (const source of below(entry, "")) sources.push(source);
  return sources;
}

async function* below(entry: FileSystemEntry, folder: string): AsyncGenerator<Source> {
  if (entry.isFile) {
    const file = await new Promise<File>((found, failed) => (entry as FileSystemFileEntry).file(found, failed));
    if (!file.name.startsWith(".")) yield sourceOf(file, folder);
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((found, failed) => reader.readEntries(found, failed)); // at most a hundred
    if (some.length === 0) return;
    for (const child of some) yield* below(child, folder === "" ? entry.name : `${folder}/${entry.name}`);
  }
}

/** A file to send; its folder is that which was chosen. The browser looks up how old it is when it is asked, which takes seconds for thousands: each is asked when its turn comes. */
export function sourceOf(file: File, folder = file.webkitRelativePath.split("/").slice(0, -1).join("/")): Source {
  return {
    name: file.name,
    content: file,
    get lastModified() {
      return file.lastModified;
    },
    ...(folder && { folder }),
  };
}

// The journal is kept in the browser: after a closed tab the same folder goes on where it was.
const database = (): Promise<IDBDatabase> =>
  (opened ??= new Promise((done, failed) => {
    const request = indexedDB.open("clausemill-uploads", 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("sent");
      request.result.createObjectStore("pending");
    };
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error);
  }));
let opened: Promise<IDBDatabase> | undefined;

/** What is asked of the journal; undefined where the browser keeps nothing, which is no reason not to upload. */
async function stored<T>(store: string, ask: (store: IDBObjectStore) => IDBRequest<T>): Promise<T | undefined> {
  try {
    const db = await database();
    return await new Promise((done, failed) => {
      const request = ask(db.transaction(store).objectStore(store));
      request.onsuccess = () => done(request.result);
      request.onerror = () => failed(request.error);
    });
  } catch {
    return undefined;
  }
}

// A file that one team has is not yet another's.
const ofTeam = (key: string): string => `${cache.getQueryData<Schemas["SignedIn"]>(["session"])?.team.id ?? ""} ${key}`;

// What is to be written, some times a second at once: a transaction costs about as much as sending a small
// file. What a tab had not written when it was closed is sent again
// under the same idempotency key, and the service answers what it answered.
const sent = new Map<string, string>(); // by this page, whether it is written or not
let unwritten: [key: string, id: string][] = [];
let left: { of?: number; more: number } = { more: 0 };
let writing: Promise<void> | undefined;

const writeSoon = (): Promise<void> =>
  (writing ??= (async () => {
    await new Promise((later) => setTimeout(later, 200));
    writing = undefined;
    const [ids, { of, more }] = [unwritten, left];
    [unwritten, left] = [[], { more: 0 }];
    try {
      const write = (await database()).transaction(["sent", "pending"], "readwrite", { durability: "relaxed" });
      for (const [key, id] of ids) write.objectStore("sent").put(id, key);
      const counts = write.objectStore("pending");
      const before = counts.get("count") as IDBRequest<number | undefined>;
      before.onsuccess = () => counts.put(Math.max((of ?? before.result ?? 0) + more, 0), "count");
      await new Promise((done, failed) => {
        write.oncomplete = done;
        write.onabort = () => failed(write.error);
      });
    } catch {
      // Where the browser keeps nothing an upload goes on.
    }
  })());

/** What was sent before this page was loaded: of new files nothing has to be looked up. */
let known: Promise<Set<IDBValidKey>> | undefined;

const journal: Journal = {
  get: async (key) => {
    known ??= stored("sent", (s) => s.getAllKeys()).then((keys) => new Set(keys));
    return sent.get(ofTeam(key)) ?? ((await known).has(ofTeam(key)) ? stored("sent", (s) => s.get(ofTeam(key)) as IDBRequest<string | undefined>) : undefined);
  },
  set: async (key, id) => {
    sent.set(ofTeam(key), id);
    unwritten.push([ofTeam(key), id]);
    void writeSoon();
  },
};

/** How many files were chosen and not sent, also when the tab was closed meanwhile. */
export const pending = {
  count: async (): Promise<number> => {
    await writing;
    return (await stored("pending", (s) => s.get("count") as IDBRequest<number | undefined>)) ?? 0;
  },
  set: (n: number): Promise<void> => {
    left = { of: n, more: 0 };
    return writeSoon();
  },
  add: (n: number): void => {
    left.more += n;
    void writeSoon();
  },
};
