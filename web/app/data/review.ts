import { useQuery } from "@tanstack/preact-query";
import { sayFailed } from "../parts/toasts.js";
import { api, cache, type Schemas } from "./client.js";
import { gathered, restore, type Sentence } from "./document.js";
import { renew } from "./live.js";
import { delivered, waiting } from "./outbox.js";
import { Store } from "./store.js";

export type Item = Schemas["ReviewItem"];

const kept = 10; // sentences that are claimed at once: the next ones are there before they are needed
const renewal = 45_000; // well within the lease

/** The sentences that are kept for whoever looks; they are claimed anew while they are shown. */
export const useClaims = () =>
  useQuery({ queryKey: ["review", "claims"], queryFn: async ({ signal }) => (await api.claimReview({ body: { limit: kept }, signal })).items, refetchInterval: renewal, staleTime: 0 });

/** The moment at which the day began where the browser is. */
export const today = (): string => new Date(new Date().setHours(0, 0, 0, 0)).toISOString();

export const useReviewProgress = () =>
  useQuery({ queryKey: ["review", "progress"], queryFn: ({ signal }) => api.getReviewProgress({ query: { since: today() }, signal }), refetchInterval: renewal });

export const useModels = () => useQuery({ queryKey: ["models"], queryFn: ({ signal }) => api.listSectionModels({ signal }) });

const around = (id: string) => ({ queryKey: ["around", id], queryFn: ({ signal }: { signal: AbortSignal }) => api.getSentenceNeighbors({ path: { sentenceid: id }, query: { window: 3 }, signal }) });

const nearest = (id: string) => ({
  queryKey: ["nearest", id],
  queryFn: async ({ signal }: { signal: AbortSignal }) => (await api.listNearestLabelledSentences({ query: { sentenceId: id, nearest: 8 }, signal })).items[0]?.nearest.map(({ sentence, similarity }) => ({ ...sentence, similarity })) ?? [],
});

export const useAround = (id: string) => useQuery(around(id));

export const useNearest = (id: string) => useQuery(nearest(id));

/** Asks for what the next one needs before it is shown. */
export function prefetch({ id, fileId }: Item): void {
  void cache.prefetchQuery(around(id));
  void cache.prefetchQuery(nearest(id));
  void cache.prefetchQuery({ queryKey: ["file", fileId], queryFn: ({ signal }) => api.getFile({ path: { fileId }, signal }) });
}

/** What was decided here and is not to be shown again. */
export const settled = new Store<ReadonlySet<string>>(new Set());

const unsettle = (id: string): void => void (settled.value = new Set([...settled.value].filter((one) => one !== id)));

/** What sentences were before they were decided on here, by the item that they are decided with. */
const before = new Map<string, Sentence[]>();

export function decideItem({ id, sentenceIds }: Item, labels: string[]): void {
  settled.value = new Set([...settled.value, id]);
  const decide = async (): Promise<void> => {
    const filter = JSON.stringify({ field: "sentence", op: "in", values: sentenceIds });
    // At the second attempt they may be decided on.
    if (!before.has(id)) before.set(id, await gathered(api.all("listSentences", { query: { filter, limit: 100 } })));
    await api.bulkAssignLabel({ body: { sentenceIds, labels } });
  };
  send(decide, () => {
    before.delete(id);
    unsettle(id); // it is still to be decided
  });
}

/** Takes a decision back: on single labels of the sentences something may have been decided before it. */
export function undoItem({ id }: Item): void {
  unsettle(id);
  send(async () => {
    await restore(before.get(id) ?? []);
    before.delete(id);
  });
}

function send(ask: () => Promise<unknown>, refused?: () => void): void {
  void delivered(ask)
    .catch((error: unknown) => {
      sayFailed(error);
      refused?.();
    })
    .finally(() => waiting.value === 0 && renew("review", "sentences"));
}
