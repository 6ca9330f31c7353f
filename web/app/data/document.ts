import { useQuery } from "@tanstack/preact-query";
import { api, cache, type Schemas } from "./client.js";
import { renew } from "./live.js";
import { delivered } from "./outbox.js";

/** A range of a file's text, in code points. */
export type Span = Schemas["Span"];
export type Sentence = Schemas["Sentence"];
export type Section = Schemas["SectionNode"];
export type PageWord = Schemas["PageWord"];
export type Attribute = Schemas["Attribute"];

/** Everything that an iterator gives. */
export async function gathered<T>(from: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of from) all.push(one);
  return all;
}

// What is below belongs to one reading of a file.
const key = (file: Schemas["File"], ...what: unknown[]): unknown[] => ["file", file.id, file.textVersion, file.attempt, ...what];

/** While a file is read anew, what was read of it before stays: somebody may be typing in it. */
const before =
  (file: Schemas["File"]) =>
  <T>(old: T | undefined, query?: { queryKey: readonly unknown[] }): T | undefined =>
    query?.queryKey[1] === file.id ? old : undefined;

export const usePages = (file: Schemas["File"]) =>
  useQuery({ queryKey: key(file, "pages"), queryFn: ({ signal }) => gathered(api.all("listFilePages", { path: { fileId: file.id }, query: { limit: 500 }, signal })) });

export const usePageWords = (file: Schemas["File"], n: number) =>
  useQuery({
    queryKey: key(file, "words", n),
    queryFn: ({ signal }) => gathered(api.all("listPageWords", { path: { fileId: file.id, n }, query: { limit: 1000 }, signal })),
    enabled: file.textReady,
    gcTime: 60_000,
  });

export const useBlocks = (file: Schemas["File"]) =>
  useQuery({
    queryKey: key(file, "blocks"),
    queryFn: async ({ signal }) => (await gathered(api.all("listFileDocuments", { path: { fileId: file.id }, query: { limit: 500 }, signal }))).flatMap((document) => document.blocks),
    enabled: file.textReady,
    placeholderData: before(file),
  });

/** What was read of the file as a whole: what holds, and what people refused. */
interface Facts {
  holding: Attribute[];
  refused: Attribute[];
}

const facts = (file: Schemas["File"]) => ({
  queryKey: key(file, "facts"),
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Facts> => {
    const { attributes, refusedAttributes = [] } = await api.listFileDocuments({ path: { fileId: file.id }, query: { limit: 1 }, signal });
    return { holding: attributes, refused: refusedAttributes };
  },
  enabled: file.textReady,
  placeholderData: before(file),
});
const holding = (all: Facts): Attribute[] => all.holding;
const refused = (all: Facts): Attribute[] => all.refused;

export const useFacts = (file: Schemas["File"]) => useQuery({ ...facts(file), select: holding });

export const useRefusedFacts = (file: Schemas["File"]) => useQuery({ ...facts(file), select: refused });

/** Decides on one value. It shows at once, and is taken back where the service refuses it. */
export async function decideFact(file: Schemas["File"], { key: name, value }: Attribute, decision: Schemas["AttributeDecision"]): Promise<void> {
  const { queryKey } = facts(file);
  await cache.cancelQueries({ queryKey }); // an answer from before would take it back
  const old = cache.getQueryData<Facts>(queryKey);
  const its = (one: Attribute): boolean => one.key === name && one.value === value;
  if (old) {
    const read = [...old.holding, ...old.refused].filter(its).map(({ decision: _, ...one }): Attribute => (decision === "withdrawn" ? one : { ...one, decision }));
    const rest = (list: Attribute[]): Attribute[] => list.filter((one) => !its(one));
    cache.setQueryData<Facts>(
      queryKey,
      decision === "refused"
        ? { holding: rest(old.holding), refused: [...rest(old.refused), ...read] }
        : { holding: old.holding.some(its) ? old.holding.map((one) => (its(one) ? (read[0] ?? one) : one)) : [...old.holding, ...read], refused: rest(old.refused) },
    );
  }
  try {
    await delivered(() => api.decideAttribute({ path: { fileId: file.id, key: name }, body: { value, decision } }));
  } catch (error) {
    cache.setQueryData(queryKey, old);
    throw error;
  } finally {
    renew("file", "files");
  }
}

export const useOutline = (file: Schemas["File"]) =>
  useQuery({ queryKey: key(file, "outline"), queryFn: async ({ signal }) => (await api.getFileSectionTree({ path: { fileId: file.id }, signal })).items, enabled: file.textReady, placeholderData: before(file) });

/** The sentences that are clauses, or were decided not to be. */
export const useClauses = (file: Schemas["File"]) =>
  useQuery({
    queryKey: ["sentences", file.id, file.textVersion, file.attempt],
    queryFn: async ({ signal }) => {
      const all = await gathered(api.all("listSentences", { query: { fileId: [file.id], limit: 500, minScore: 0.01 }, signal }));
      return all.filter((sentence) => sentence.label !== null || sentence.source === "validated").sort((a, b) => a.ordinal - b.ordinal);
    },
    enabled: file.textReady,
    placeholderData: before(file),
  });

export const useTags = () => useQuery({ queryKey: ["tags"], queryFn: async ({ signal }) => (await api.listTags({ signal })).items, staleTime: 5 * 60_000 });

export const useRadar = (file: Schemas["File"] | undefined) =>
  useQuery({ queryKey: file ? key(file, "radar") : ["file"], queryFn: ({ signal }) => api.getFileRadar({ path: { fileId: file?.id ?? "" }, signal }), enabled: file?.textReady ?? false });

export const useLikenesses = (file: Schemas["File"]) =>
  useQuery({ queryKey: key(file, "likeness"), queryFn: async ({ signal }) => (await api.listLikenesses({ path: { fileId: file.id }, signal })).items, enabled: file.textReady });

export const useVersions = (file: Schemas["File"]) =>
  useQuery({ queryKey: ["file", file.id, "versions", file.currentVersion], queryFn: ({ signal }) => gathered(api.all("listFileVersions", { path: { fileId: file.id }, signal })) });

/** Decides which clause a sentence is; null for none. It shows at once, and is taken back where the service refuses it. */
export async function decide(sentence: Sentence, label: string | null): Promise<void> {
  await optimistically(sentence.fileId, { ...sentence, label, source: "validated" }, () => api.validateSentence({ path: { sentenceid: sentence.id }, body: { label } }));
}

/** Takes a decision back: the sentence is again what it was before. */
export async function withdraw(before: Sentence): Promise<void> {
  await optimistically(before.fileId, before, () =>
    before.source === "validated"
      ? api.validateSentence({ path: { sentenceid: before.id }, body: { label: before.label } })
      : api.withdrawSentenceDecision({ path: { sentenceid: before.id } }),
  );
}

async function optimistically(fileId: string, sentence: Sentence, ask: () => Promise<unknown>): Promise<void> {
  const queryKey = ["sentences", fileId];
  const put = (sentence: Sentence | undefined): void => {
    if (sentence) cache.setQueriesData<Sentence[]>({ queryKey }, (all) => all?.map((one) => (one.id === sentence.id ? sentence : one)));
  };
  await cache.cancelQueries({ queryKey }); // an answer from before would take it back
  const old = cache.getQueriesData<Sentence[]>({ queryKey }).flatMap(([, all]) => all ?? []).find(({ id }) => id === sentence.id);
  put(sentence);
  try {
    await delivered(ask);
  } catch (error) {
    put(old);
    throw error;
  } finally {
    renew("sentences");
  }
}

/** A span in an address: 681-694. */
export const written = ({ start, end }: Span): string => `${start}-${end}`;

export function readSpan(text: string | null): Span | null {
  const [, start, end] = /^(\d+)-(\d+)$/.exec(text ?? "") ?? [];
  return start === undefined || end === undefined || Number(start) >= Number(end) ? null : { start: Number(start), end: Number(end) };
}

export const touches = (a: Span, b: Span): boolean => a.start < b.end && b.start < a.end;
