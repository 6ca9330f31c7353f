import { useLocation } from "preact-iso";
import { useMemo } from "preact/hooks";

/** The query of the page's address, and a function that changes parts of it: what can be sent to a colleague is there. */
export function useQueryOf(): [URLSearchParams, (change: Record<string, string | string[] | undefined>) => void] {
  const { url, path, route } = useLocation();
  const query = useMemo(() => new URL(url, location.origin).searchParams, [url]);
  const change = (parts: Record<string, string | string[] | undefined>): void => {
    const next = new URLSearchParams(query);
    for (const [name, value] of Object.entries(parts)) {
      next.delete(name);
      for (const one of [value ?? []].flat()) if (one !== "") next.append(name, one);
    }
    route(next.size > 0 ? `${path}?${next}` : path, true);
  };
  return [query, change];
}
