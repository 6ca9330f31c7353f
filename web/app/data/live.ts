import { Store } from "./store.js";
import { cache, type Schemas } from "./client.js";
import { patchFile } from "./files.js";

/** Whether changes arrive. Without them everything is asked for anew once they do again. */
export const connection = new Store<"live" | "lost">("live");

// What has to be asked for anew, by the first part of its key, when one of these arrives.
const renews: Record<string, string[]> = {
  "file.status": [],
  "file.completed": ["files", "file", "team"],
  "file.failed": ["files", "file", "team"],
  "file.cancelled": ["files", "file", "team"],
  "file.deleted": ["files", "file", "team"],
  "file.restored": ["files", "file", "team"],
  "file.changes": ["file"],
  "file.version_added": ["files", "file"],
  "files.queued": ["files", "file", "team"],
  "files.updated": ["files", "file"],
  "operation.progress": ["operations"],
  "operation.finished": ["operations", "files", "file", "team"],
  "notification.created": ["notifications"],
  "notification.updated": ["notifications"],
  "sentences.validated": ["sentences", "team"],
  "sentences.withdrawn": ["sentences", "team"],
};

const waiting = new Set<string>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** Asks for these anew, at most twice a second: a thousand files may end in one. */
export function renew(...keys: string[]): void {
  for (const key of keys) waiting.add(key);
  timer ??= setTimeout(() => {
    timer = undefined;
    for (const key of waiting) void cache.invalidateQueries({ queryKey: [key] });
    waiting.clear();
  }, 500);
}

function heard(type: string, text: string): void {
  if (type === "file.status") {
    const state = JSON.parse(text) as Schemas["FileStatusData"];
    if (!patchFile(state)) renew("files");
    renew("team");
    return;
  }
  renew(...(renews[type] ?? []));
}

/** Follows what changes in the team until the function that it returns is called. */
export function follow(): () => void {
  const source = new EventSource("/api/events");
  for (const type of Object.keys(renews)) source.addEventListener(type, (event) => heard(type, (event as MessageEvent<string>).data));
  source.onopen = () => {
    // What happened before is not told: between what a page asked for and now, too.
    if (connection.value === "lost") void cache.invalidateQueries();
    else renew("files", "file", "team");
    connection.value = "live";
  };
  source.onerror = () => {
    connection.value = "lost";
    // It tries again by itself, unless the service refused it: then the session tells why.
    if (source.readyState === EventSource.CLOSED) {
      void cache.invalidateQueries({ queryKey: ["session"] });
      retry = setTimeout(() => {
        stop();
        stop = follow();
      }, 5000);
    }
  };
  let retry: ReturnType<typeof setTimeout> | undefined;
  let stop = (): void => {
    clearTimeout(retry);
    source.close();
  };
  return () => stop();
}
