import { type InfiniteData, useInfiniteQuery, useQuery } from "@tanstack/preact-query";
import { api, cache, type Schemas } from "./client.js";

export type File = Schemas["File"];
type Page = Awaited<ReturnType<typeof api.listFiles>>;

/** Whether a file has pages that can be drawn; the others are shown as their text. */
export const paged = ({ contentType }: File): boolean => contentType === "application/pdf" || contentType.startsWith("image/");

/** What the list of files is narrowed to; all of it is in the address of the page. */
export interface Narrowed {
  q?: string;
  status?: Schemas["ProcessingStatus"][];
  sort?: string;
  /** A condition as JSON, as charts lead here with one. */
  filter?: string;
}

const pageSize = 100;

export function useFiles(narrowed: Narrowed) {
  return useInfiniteQuery({
    queryKey: ["files", "list", narrowed],
    queryFn: ({ pageParam, signal }) => api.listFiles({ query: { limit: pageSize, ...narrowed, ...(pageParam && { cursor: pageParam }) }, signal }),
    initialPageParam: "",
    getNextPageParam: (page: Page) => page.nextCursor,
    placeholderData: (before) => before, // the old list stays until the new one is there
  });
}

export const useTeamStatus = () => useQuery({ queryKey: ["team"], queryFn: ({ signal }) => api.getTeamStatus({ signal }) });

export const useTypes = () =>
  useQuery({
    queryKey: ["types"],
    queryFn: async ({ signal }) => {
      const names = new Map<string, string>();
      for await (const type of api.all("listDocumentTypes", { query: { limit: 500 }, signal })) names.set(type.id, type.name);
      return names;
    },
    staleTime: 5 * 60_000,
  });

export const useFile = (fileId: string) => useQuery({ queryKey: ["file", fileId], queryFn: ({ signal }) => api.getFile({ path: { fileId }, signal }), enabled: fileId !== "" });

/** Puts what is new of a file where it is shown; false where it is in no list. */
export function patchFile(id: string, change: Partial<File>): boolean {
  const patched = (file: File): File => (file.id === id ? { ...file, ...change } : file);
  let found = false;
  cache.setQueriesData<InfiniteData<Page>>({ queryKey: ["files", "list"] }, (data) => {
    if (!data?.pages.some((page) => page.items.some((file) => file.id === id))) return data;
    found = true;
    return { ...data, pages: data.pages.map((page) => ({ ...page, items: page.items.map(patched) })) };
  });
  cache.setQueryData<File>(["file", id], (file) => file && patched(file));
  return found;
}
