import { Client, ClausemillError } from "@clausemill/client";
import { QueryCache, QueryClient } from "@tanstack/preact-query";

export type { Schemas } from "@clausemill/client";
export { ClausemillError };

/** The API, as whoever is signed in. */
export const api = new Client({ url: "", patience: 15_000 });

/** What was read of the API. It is renewed by events: see live.ts. */
export const cache = new QueryClient({
  queryCache: new QueryCache({
    // Whoever is refused has to sign in again; the session itself says so.
    onError: (error, query) => {
      if (status(error) === 401 && query.queryKey[0] !== "session") void cache.invalidateQueries({ queryKey: ["session"] });
    },
  }),
  defaultOptions: { queries: { staleTime: 60_000, gcTime: 10 * 60_000, retry: false, refetchOnWindowFocus: false }, mutations: { retry: false } },
});

/** The status that the service answered an error with; 0 where it did not answer. */
export function status(error: unknown): number {
  return error instanceof ClausemillError ? error.status : 0;
}

/** What to tell people of an error: the service says it in plain words. */
export function saying(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
