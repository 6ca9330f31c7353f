import { type InfiniteData, useInfiniteQuery, useQuery } from "@tanstack/preact-query";
import { api, cache, type Schemas } from "./client.js";
import { gathered } from "./document.js";
import { renew } from "./live.js";

export type Matter = Schemas["Matter"];
export type BoardMatter = Schemas["DashboardMatter"];
export type MatterStage = Schemas["MatterStage"];
export type MatterStatus = Schemas["MatterStatus"];
export type Assignment = Schemas["Assignment"];
type Board = Schemas["MattersDashboard"];

/** In the order of the work. */
export const stages: MatterStage[] = ["intake", "drafting", "review", "negotiation", "approval", "signature", "closed"];
export const statuses: MatterStatus[] = ["open", "on_hold", "closed", "cancelled"];
export const assignmentRoles: Schemas["AssignmentRole"][] = ["reviewer", "approver", "editor", "owner"];

export interface NarrowedMatters {
  q?: string;
  status?: MatterStatus[];
  ownerId?: string;
}

// Everything about matters has keys that begin alike: an event renews what is on the screen of it.

/** Matters with how much there is to do, newest first. */
export const useBoard = (narrowed: NarrowedMatters) =>
  useInfiniteQuery({
    queryKey: ["matters", "board", narrowed],
    queryFn: ({ pageParam, signal }) => api.listDashboardMatters({ query: { limit: 200, ...narrowed, ...(pageParam && { cursor: pageParam }) }, signal }),
    initialPageParam: "",
    getNextPageParam: (page: Board) => page.nextCursor,
    placeholderData: (before) => before,
  });

export const useMatter = (matterId: string) => useQuery({ queryKey: ["matters", matterId], queryFn: ({ signal }) => api.getMatter({ path: { matterId }, signal }) });

export const useMatterFiles = (matterId: string) =>
  useQuery({ queryKey: ["matters", matterId, "files"], queryFn: ({ signal }) => gathered(api.all("listMatterFiles", { path: { matterId }, query: { limit: 500 }, signal })) });

export const useAssignments = (matterId: string) =>
  useQuery({ queryKey: ["matters", matterId, "assignments"], queryFn: ({ signal }) => gathered(api.all("listMatterAssignments", { path: { matterId }, query: { limit: 500 }, signal })) });

export const useTimeline = (matterId: string) =>
  useInfiniteQuery({
    queryKey: ["matters", matterId, "timeline"],
    queryFn: ({ pageParam, signal }) => api.listMatterTimeline({ path: { matterId }, query: { limit: 30, ...(pageParam && { cursor: pageParam }) }, signal }),
    initialPageParam: "",
    getNextPageParam: (page: { nextCursor?: string }) => page.nextCursor,
  });

/** Puts a matter into another stage. The board shows it at once, and takes it back where the service refuses it. */
export async function moveMatter(matterId: string, stage: MatterStage): Promise<void> {
  const queryKey = ["matters", "board"];
  await cache.cancelQueries({ queryKey });
  const old = cache.getQueriesData<InfiniteData<Board>>({ queryKey });
  cache.setQueriesData<InfiniteData<Board>>(
    { queryKey },
    (data) => data && { ...data, pages: data.pages.map((page) => ({ ...page, items: page.items.map((one) => (one.id === matterId ? { ...one, stage } : one)) })) },
  );
  try {
    await api.updateMatter({ path: { matterId }, body: { stage } });
  } catch (error) {
    for (const [key, data] of old) cache.setQueryData(key, data);
    throw error;
  } finally {
    renew("matters");
  }
}

type Placed = Pick<Schemas["File"], "id" | "matterId">;

let lastPut: Promise<unknown> = Promise.resolve();

/**
 * Puts files into a matter, or takes them out (null), with `from` only those that are in that one; gives those that it changed, as they were.
 * Where they are is asked for once what was begun before has ended: a list that is on the screen may be older.
 */
export function putFiles(ids: string[], to: string | null, from?: string | null): Promise<{ changed: Placed[]; error?: unknown }> {
  const put = lastPut.then(() => putNow(ids, to, from));
  lastPut = put.catch(() => undefined);
  return put;
}

async function putNow(ids: string[], to: string | null, from?: string | null): Promise<{ changed: Placed[]; error?: unknown }> {
  const changed: Placed[] = [];
  let failure: unknown;
  for (let at = 0; at < ids.length && failure === undefined; at += 100) {
    const todo: Placed[] = [];
    try {
      const { items } = await api.listFiles({ query: { ids: ids.slice(at, at + 100), limit: 100 } });
      todo.push(...items.filter(({ matterId }) => matterId !== to && (from === undefined || matterId === from)));
    } catch (error) {
      failure = error; // what was changed until then can be taken back
    }
    const one = async (): Promise<void> => {
      for (let file = todo.shift(); file && failure === undefined; file = todo.shift()) {
        try {
          if (to !== null) await api.updateMatterFile({ path: { matterId: to }, body: { fileId: file.id } });
          else if (file.matterId !== null) await api.updateMatterFile({ path: { matterId: file.matterId }, body: { fileId: file.id, remove: true } });
          changed.push(file);
        } catch (error) {
          failure = error;
        }
      }
    };
    await Promise.all([one(), one(), one(), one()]);
  }
  renew("matters", "files", "file");
  return { changed, ...(failure !== undefined && { error: failure }) };
}

/** Puts files back to where each was, but for those that were moved on meanwhile. */
export async function putBack(files: Placed[], now: string | null): Promise<void> {
  for (const before of new Set(files.map(({ matterId }) => matterId))) {
    const { error } = await putFiles(files.filter(({ matterId }) => matterId === before).map(({ id }) => id), before, now);
    if (error !== undefined) throw error;
  }
}
