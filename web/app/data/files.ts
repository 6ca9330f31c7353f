import { type InfiniteData, replaceEqualDeep, useInfiniteQuery, useQuery } from "@tanstack/preact-query";
import { useMemo } from "preact/hooks";
import { api, cache, type Schemas } from "./client.js";

export type File = Schemas["File"];
type Page = Awaited<ReturnType<typeof api.listFiles>>;

/** Whether a file has pages that can be drawn; the others are shown as their text. */
export const paged = ({ contentType }: { contentType: string }): boolean => contentType === "application/pdf" || contentType.startsWith("image/");

const laidOut = ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", "application/msword", "application/rtf", "application/vnd.oasis.opendocument.text"];

/** Whether a file, shown as its text, can be laid out as pages too. */
export const printable = ({ contentType }: { contentType: string }): boolean => laidOut.includes(contentType);

/** What the list of files is narrowed to; all of it is in the address of the page. */
export interface Narrowed {
  q?: string;
  status?: Schemas["ProcessingStatus"][];
  sort?: string;
  /** A condition as JSON, as charts lead here with one. */
  filter?: string;
}

const pageSize = 100;
const keptPages = 4; // an event has that many asked for anew

/** Where a page of the list begins, and where those before it do. */
interface Place {
  cursor: string;
  page: number;
  before?: Place;
}

/** Files that are as they were stay the same objects, wherever their page is now: their rows need not be rendered again. */
function shared(before: unknown, now: unknown): unknown {
  const [old, next] = [before as InfiniteData<Page, Place> | undefined, now as InfiniteData<Page, Place>];
  if (!old) return next;
  const known = new Map(old.pages.flatMap(({ items }) => items).map((file) => [file.id, file]));
  const pages = next.pages.map((page) => (old.pages.includes(page) ? page : { ...page, items: page.items.map((file) => replaceEqualDeep(known.get(file.id), file)) }));
  return { ...next, pages };
}

/** The files with the values of these attributes: some pages of them, of which the first is not always that of the list. */
export function useFiles(narrowed: Narrowed, attributes: string[]) {
  const queryKey = ["files", "list", narrowed, attributes];
  const ask = ({ cursor }: Place, signal?: AbortSignal): Promise<Page> =>
    api.listFiles({ query: { limit: pageSize, ...narrowed, ...(attributes.length > 0 && { attributes }), ...(cursor && { cursor }) }, ...(signal && { signal }) });
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => ask(pageParam, signal),
    initialPageParam: { cursor: "", page: 0 } as Place,
    getNextPageParam: ({ nextCursor }: Page, _, before: Place): Place | undefined => (nextCursor === undefined ? undefined : { cursor: nextCursor, page: before.page + 1, before }),
    getPreviousPageParam: (_page, _all, { before }: Place) => before,
    maxPages: keptPages,
    structuralSharing: shared,
    placeholderData: (before) => before, // the old list stays until the new one is there
  });
  const { pages = [], pageParams = [] } = query.data ?? {};
  const first = pageParams[0] as Place | undefined;
  const earlier = async (): Promise<void> => {
    const { data } = await query.fetchPreviousPage();
    const [, second] = (data?.pageParams ?? []) as Place[];
    // Files that came in since move those between two pages; asked for from the first one on, none is left out.
    if (second && data?.pages[0]?.nextCursor !== second.cursor) await query.refetch();
  };
  /** Has the list begin with the page that a file is on, of those that were there before. */
  const back = async (index: number): Promise<void> => {
    let place = first;
    while (place?.before && place.page * pageSize > index) place = place.before;
    if (!place) return;
    await cache.cancelQueries({ queryKey, exact: true });
    const page = await ask(place);
    cache.setQueryData<InfiniteData<Page, Place>>(queryKey, { pages: [page], pageParams: [place] });
  };
  return { ...query, files: useMemo(() => pages.flatMap(({ items }) => items), [query.data]), skipped: (first?.page ?? 0) * pageSize, total: pages[0]?.total ?? 0, earlier, back };
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

/** Puts what is new of files where they are shown; false where one is in no list. */
export function patchFiles(changes: Map<string, Partial<File>>): boolean {
  const patched = (file: File): File => (changes.has(file.id) ? { ...file, ...changes.get(file.id) } : file);
  const listed = new Set<string>();
  cache.setQueriesData<InfiniteData<Page>>({ queryKey: ["files", "list"] }, (data) => {
    const here = data?.pages.flatMap(({ items }) => items).filter(({ id }) => changes.has(id)) ?? [];
    for (const { id } of here) listed.add(id);
    if (!data || here.length === 0) return data;
    return { ...data, pages: data.pages.map((page) => ({ ...page, items: page.items.map(patched) })) };
  });
  for (const id of changes.keys()) cache.setQueryData<File>(["file", id], (file) => file && patched(file));
  return listed.size === changes.size;
}
