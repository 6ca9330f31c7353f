import { useQuery } from "@tanstack/preact-query";
import { sayFailed } from "../parts/toasts.js";
import { api, cache, type Schemas, status } from "./client.js";
import { renew } from "./live.js";
import { Store } from "./store.js";
import { warn } from "./uploads.js";

export type Item = Schemas["ReviewItem"];

/** A decision that may not have reached the service yet; without a label it withdraws one. */
interface Decision {
  item: string;
  ids: string[];
  label?: string | null;
}

const kept = 10; // sentences that are claimed at once: the next ones are there before they are needed
const renewal = 45_000; // well within the lease

/** The sentences that are kept for whoever looks; they are claimed anew while they are shown. */
export const useClaims = () =>
  useQuery({ queryKey: ["review", "claims"], queryFn: async ({ signal }) => (await api.claimReview({ body: { limit: kept }, signal })).items, refetchInterval: renewal, staleTime: 0 });

export const useReviewProgress = () =>
  useQuery({ queryKey: ["review", "progress"], queryFn: ({ signal }) => api.getReviewProgress({ query: { since: new Date(new Date().setHours(0, 0, 0, 0)).toISOString() }, signal }) });

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

/** Decisions that wait until the service answers. */
export const unsent = new Store<Decision[]>([]);
/** What was decided here and is not to be shown again. */
export const settled = new Store<ReadonlySet<string>>(new Set());

export function decideItem({ id, sentenceIds }: Item, label: string | null): void {
  settled.value = new Set([...settled.value, id]);
  unsent.value = [...unsent.value, { item: id, ids: sentenceIds, label }];
  void send();
}

const unsettle = (id: string): void => void (settled.value = new Set([...settled.value].filter((one) => one !== id)));

export function undoItem({ id, sentenceIds }: Item): void {
  unsettle(id);
  unsent.value = [...unsent.value, { item: id, ids: sentenceIds }];
  void send();
}

let sending = false;

/** Sends what waits, in order. Where the service does not answer it is sent again: a decision that is made twice is one. */
async function send(): Promise<void> {
  if (sending) return;
  sending = true;
  window.addEventListener("beforeunload", warn);
  for (let [first] = unsent.value; first; [first] = unsent.value) {
    try {
      await (first.label === undefined ? api.bulkWithdrawDecisions({ body: { sentenceIds: first.ids } }) : api.bulkAssignLabel({ body: { sentenceIds: first.ids, label: first.label } }));
    } catch (error) {
      if ([0, 401, 429, 502, 503, 504].includes(status(error))) {
        await new Promise((later) => setTimeout(later, 1500));
        continue;
      }
      sayFailed(error);
      if (first.label !== undefined) unsettle(first.item); // it is still to be decided
    }
    unsent.value = unsent.value.slice(1);
  }
  sending = false;
  window.removeEventListener("beforeunload", warn);
  renew("review", "sentences");
}
