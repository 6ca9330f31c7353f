import { useInfiniteQuery, useQuery } from "@tanstack/preact-query";
import { api, type Schemas } from "./client.js";

export type Condition = Schemas["Condition"];
export type SavedSearch = Schemas["SavedSearch"];
type Answer = Schemas["FileHits"];

/** What hits are counted by, in the order in which it is shown. Each is a field of conditions, too. */
export const facets = ["documentType", "label", "lifecycleStage", "language", "matter", "status"] as const satisfies Schemas["SearchFacet"][];

/** A search as the address has it: words, chosen values of facets, without copies, and another condition. */
export interface Search {
  q: string;
  chosen: [field: string, values: string[]][];
  copies: boolean;
  other: Condition | undefined;
}

const isFacet = (field: string | undefined): boolean => (facets as readonly string[]).includes(field ?? "");
const withoutCopies: Condition = { field: "duplicate", op: "in", values: [false] };

const asksIn = /^(which|what|who|how (many|much|long)|when|list|show|count|number of|total|sum|average|top|longest|shortest)\b/i;
const things = /\b(contracts?|agreements?|documents?|files?|ndas?|leases?|licen[cs]es?|msas?|sows?|counterpart(y|ies))\b/i;

/** Whether somebody asks for contracts rather than for words in them. Quotes and operators are of a search. */
export const asks = (text: string): boolean => text.length <= 1000 && !/["()]|\b(AND|OR|NOT|NEAR)\b/.test(text) && text.trim().split(/\s+/).length > 1 && (text.trim().endsWith("?") || asksIn.test(text.trim()) || things.test(text));

/** Reads a search from an address. */
export function readSearch(query: URLSearchParams): Search {
  let other: Condition | undefined;
  try {
    other = JSON.parse(query.get("filter") ?? "") as Condition;
  } catch {
    other = undefined; // none, or not one
  }
  return {
    q: query.get("q") ?? "",
    chosen: facets.map((field): [string, string[]] => [field, query.getAll(field)]).filter(([, values]) => values.length > 0),
    copies: query.get("copies") !== "no",
    other,
  };
}

/** All that narrows a search, as one condition. */
export function conditionOf({ chosen, copies, other }: Search): Condition | undefined {
  const all: Condition[] = chosen.map(([field, values]) => ({ field, op: "in", values }));
  if (!copies) all.push(withoutCopies);
  if (other) all.push(other);
  return all.length > 0 ? { all } : undefined;
}

/** The address of a search that was saved: what the page has switches for becomes one of them again. */
export function addressOf({ q, filter }: Pick<SavedSearch, "q" | "filter">): string {
  const query = new URLSearchParams(q === "" ? {} : { q });
  const rest: Condition[] = [];
  for (const one of filter?.all ?? (filter && Object.keys(filter).length > 0 ? [filter] : [])) {
    if (isFacet(one.field) && one.op === "in" && !query.has(one.field!)) for (const value of one.values ?? []) query.append(one.field!, String(value));
    else if (JSON.stringify(one) === JSON.stringify(withoutCopies)) query.set("copies", "no");
    else rest.push(one);
  }
  if (rest.length > 0) query.set("filter", JSON.stringify(rest.length === 1 ? rest[0] : { all: rest }));
  return `/search?${query}`;
}

/** The parameters of a search, as all operations that search take them. */
export function parametersOf(search: Search, typing: boolean) {
  const filter = conditionOf(search);
  return { q: search.q, ...(typing && { prefix: true }), ...(filter && { filter: JSON.stringify(filter) }) };
}

export function useSearch(search: Search, typing: boolean) {
  const asked = parametersOf(search, typing);
  return useInfiniteQuery({
    queryKey: ["files", "search", asked],
    queryFn: ({ pageParam, signal }) => api.searchFiles({ query: { ...asked, limit: 20, facets: [...facets], groupLimit: 6, groups: ["sections", "matters"], ...(pageParam && { cursor: pageParam }) }, signal }),
    initialPageParam: "",
    getNextPageParam: (page: Answer) => page.nextCursor,
    placeholderData: (before) => before, // what was found stays until the next answer is there
    enabled: search.q !== "" || search.chosen.length > 0 || search.other !== undefined,
  });
}

export const useSavedSearches = () => useQuery({ queryKey: ["saved"], queryFn: async ({ signal }) => (await api.listSavedSearches({ query: { limit: 100 }, signal })).items });

export const useSynonyms = () => useQuery({ queryKey: ["synonyms"], queryFn: async ({ signal }) => (await api.getSynonyms({ signal })).groups, staleTime: 5 * 60_000 });

/** The other words that a search finds as well: synonyms of words that it has. */
export function alsoFound(q: string, groups: string[][]): string[] {
  const text = ` ${q.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ")} `;
  return groups.flatMap((group) => {
    const has = (word: string): boolean => text.includes(` ${word.toLowerCase()} `);
    return group.some(has) ? group.filter((word) => !has(word)) : [];
  });
}

/** The labels that a search names, or parts of whose names it is, as long as there are such clauses: the most frequent first. */
export function labelsNamed(q: string, tags: Schemas["Tag"][]): Schemas["Tag"][] {
  const words = (text: string): string => ` ${text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim()} `;
  const asked = words(q);
  if (asked.length < 5) return [];
  return tags
    .filter(({ name, sentences }) => sentences > 0 && (asked.includes(words(name)) || words(name).includes(asked)))
    .sort((a, b) => b.sentences - a.sentences)
    .slice(0, 4);
}

/** A snippet of the API, which is escaped HTML, as runs of plain text that are marked or not. */
export function runsOf(snippet: string): { text: string; marked: boolean }[] {
  const plain: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&#34;": '"', "&#39;": "'", "&amp;": "&" };
  return snippet
    .split(/<\/?em>/)
    .map((text, i) => ({ text: text.replace(/&(?:lt|gt|amp|#34|#39);/g, (one) => plain[one] ?? one), marked: i % 2 === 1 }))
    .filter(({ text }) => text !== "");
}
