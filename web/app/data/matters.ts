import { type InfiniteData, useInfiniteQuery, useQuery } from "@tanstack/preact-query";
import { api, cache, type Schemas } from "./client.js";
import { gathered } from "./document.js";
import { patchFile } from "./files.js";
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

/** Puts files into a matter, or takes them out (null), four at a time; gives those that it changed, as they were. */
export async function putFiles(files: { id: string; matterId: string | null }[], matterId: string | null): Promise<{ changed: typeof files; error?: unknown }> {
  const todo = files.filter((file) => file.matterId !== matterId);
  const changed: typeof files = [];
  let failure: unknown;
  const one = async (): Promise<void> => {
    for (let file = todo.shift(); file && failure === undefined; file = todo.shift()) {
      try {
        if (matterId !== null) await api.updateMatterFile({ path: { matterId }, body: { fileId: file.id } });
        else if (file.matterId !== null) await api.updateMatterFile({ path: { matterId: file.matterId }, body: { fileId: file.id, remove: true } });
        changed.push(file);
      } catch (error) {
        failure = error;
      }
    }
  };
  await Promise.all([one(), one(), one(), one()]);
  // Whoever moves them on before the list is renewed goes by where they are now; an answer from before would take that back.
  await cache.cancelQueries({ queryKey: ["files", "list"] });
  for (const { id } of changed) patchFile(id, { matterId });
  renew("matters", "files", "file");
  return { changed, ...(failure !== undefined && { error: failure }) };
}

/** Puts files back to where each was. */
export async function putBack(files: { id: string; matterId: string | null }[], now: string | null): Promise<void> {
  for (const before of new Set(files.map(({ matterId }) => matterId))) {
    const those = files.filter(({ matterId }) => matterId === before);
    const { error } = await putFiles(those.map(({ id }) => ({ id, matterId: now })), before);
    if (error !== undefined) throw error;
  }
}
