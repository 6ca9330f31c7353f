import { useQuery } from "@tanstack/preact-query";
import { useMemo } from "preact/hooks";
import { named } from "../format.js";
import { words } from "../words.js";
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

/** Has a file that flows laid out as pages, and is there once they can be asked for. */
export const layOut = async (file: Schemas["File"], signal?: AbortSignal): Promise<Schemas["Printed"]> => {
  for (;;) {
    const print = await api.printFile({ path: { fileId: file.id }, query: { wait: 30 }, ...(signal && { signal }) });
    if (print.ready) return print;
  }
};

export const usePrint = (file: Schemas["File"]) =>
  useQuery({
    queryKey: key(file, "print"),
    queryFn: ({ signal }) => layOut(file, signal),
    enabled: file.textReady,
    retry: false,
  });

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

const decidedOrLabelled = JSON.stringify({
  any: [
    { field: "label", op: "exists" },
    { field: "labelSource", op: "in", values: ["validated"] },
  ],
});

/** The sentences that are clauses, or were decided not to be. */
export const useClauses = (file: Schemas["File"]) =>
  useQuery({
    queryKey: ["sentences", file.id, file.textVersion, file.attempt],
    queryFn: async ({ signal }) => {
      const all = await gathered(api.all("listSentences", { query: { fileId: [file.id], limit: 500, filter: decidedOrLabelled }, signal }));
      return all.sort((a, b) => a.ordinal - b.ordinal);
    },
    enabled: file.textReady,
    placeholderData: before(file),
  });

export const useTags = () => useQuery({ queryKey: ["tags"], queryFn: async ({ signal }) => (await api.listTags({ signal })).items, staleTime: 5 * 60_000 });

/** What a label is called: without one, as no clause of interest. */
export function useLabelName(): (label: string | null) => string {
  const tags = useTags();
  const names = useMemo(() => new Map(tags.data?.map(({ key, name }) => [key, name])), [tags.data]);
  return (label) => (label === null ? words.document.noClause : (names.get(label) ?? named(label)));
}

export const useRadar = (file: Schemas["File"] | undefined) =>
  useQuery({ queryKey: file ? key(file, "radar") : ["file"], queryFn: ({ signal }) => api.getFileRadar({ path: { fileId: file?.id ?? "" }, signal }), enabled: file?.textReady ?? false });

export const useLikenesses = (file: Schemas["File"]) =>
  useQuery({ queryKey: key(file, "likeness"), queryFn: async ({ signal }) => (await api.listLikenesses({ path: { fileId: file.id }, signal })).items, enabled: file.textReady });

export const useVersions = (file: Schemas["File"]) =>
  useQuery({ queryKey: ["file", file.id, "versions", file.currentVersion], queryFn: ({ signal }) => gathered(api.all("listFileVersions", { path: { fileId: file.id }, signal })) });

/** What is decided about the labels of a sentence; nothing confirms them all. */
export type Decision = Pick<Schemas["Validation"], "labels" | "add" | "remove" | "clause">;

/** Decides on labels of a sentence. It shows at once, and is taken back where the service refuses it. */
export async function decide(sentence: Sentence, decision: Decision): Promise<void> {
  await optimistically([decided(sentence, decision)], () => api.validateSentence({ path: { sentenceid: sentence.id }, body: decision }));
}

/** A sentence as it is after a decision. */
function decided(sentence: Sentence, { labels, add = [], remove = [], clause }: Decision): Sentence {
  const single = labels === undefined && add.length + remove.length > 0;
  const kept = labels ?? [...new Set([...add, ...sentence.labels.map(({ node }) => node).filter((node) => !remove.includes(node))])];
  const refused = labels ? [] : [...new Set([...(sentence.refused ?? []).filter((node) => !add.includes(node)), ...remove])];
  const all = kept.map((node): Schemas["SentenceLabel"] => {
    const before = sentence.labels.find((label) => label.node === node);
    return { ...before, node, source: !single || clause || add.includes(node) ? "validated" : (before?.source ?? "validated") };
  });
  return { ...sentence, labels: all, refused, label: all[0]?.node ?? null, source: all.some(({ source }) => source === "predicted") ? "predicted" : "validated" };
}

/** Takes decisions back: the sentences are again what they were before. It shows at once. */
export const withdraw = (before: Sentence[]): Promise<void> => optimistically(before, () => restore(before));

/** What people decided on single labels of a sentence. */
const decisions = ({ labels, refused = [] }: Sentence) => ({ given: labels.filter(({ source }) => source === "validated").map(({ node }) => node), refused });

/** Makes sentences what they were before they were decided on. */
export async function restore(before: Sentence[]): Promise<void> {
  const open = before.filter(({ source }) => source !== "validated").map(({ id }) => id);
  if (open.length > 0) await api.bulkWithdrawDecisions({ body: { sentenceIds: open } });
  for (const sentence of before) {
    const path = { sentenceid: sentence.id };
    const { given, refused } = decisions(sentence);
    // Only a label that a sentence has can be refused.
    if (sentence.source === "validated") await api.validateSentence({ path, body: { labels: [...given, ...refused] } });
    else if (given.length + refused.length > 0) await api.validateSentence({ path, body: { add: [...given, ...refused] } });
    if (refused.length > 0) await api.validateSentence({ path, body: { remove: refused } });
  }
}

/** The sentences that are in a clause with one, for any of its labels. */
export const together = (all: Sentence[], { labels }: Sentence): Sentence[] => {
  const clauses = new Set(labels.map(({ clauseId }) => clauseId));
  return all.filter((one) => one.labels.some(({ clauseId }) => clauseId !== undefined && clauses.has(clauseId)));
};

async function optimistically(sentences: Sentence[], ask: () => Promise<unknown>): Promise<void> {
  const queryKey = ["sentences"];
  const put = (those: Sentence[]): void => {
    const by = new Map(those.map((one) => [one.id, one]));
    cache.setQueriesData<Sentence[]>({ queryKey }, (all) => all?.map((one) => by.get(one.id) ?? one));
  };
  await cache.cancelQueries({ queryKey }); // an answer from before would take it back
  const ids = new Set(sentences.map(({ id }) => id));
  const old = cache.getQueriesData<Sentence[]>({ queryKey }).flatMap(([, all]) => all?.filter(({ id }) => ids.has(id)) ?? []);
  put(sentences);
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
