import { useInfiniteQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { api, type Schemas } from "../../data/client.js";
import { refreshed, renew } from "../../data/live.js";
import { useMay } from "../../data/people.js";
import { ago, at } from "../../format.js";
import { Ask } from "../../parts/ask.js";
import { attempt, say } from "../../parts/toasts.js";
import { words } from "../../words.js";
import { Listing } from "./parts.js";

const w = words.settings;

/** What was deleted and can be brought back. */
export function Trash() {
  const may = useMay();
  const trash = useInfiniteQuery({
    queryKey: ["trash"],
    queryFn: ({ pageParam, signal }) => api.listTrash({ query: { limit: 100, ...(pageParam && { cursor: pageParam }) }, signal }),
    initialPageParam: "",
    getNextPageParam: (page: { nextCursor?: string }) => page.nextCursor,
    staleTime: 0,
  });
  const [purging, purge] = useState<Schemas["TrashEntry"]>();
  const renewed = async (): Promise<void> => {
    await refreshed("trash");
    renew("files", "file", "team", "matters", "types", "tags", "fields");
  };
  const held = (one: Schemas["TrashEntry"]): string => Object.entries(one.held).filter(([, n]) => n > 0).map(([kind, n]) => w.heldOf(kind, n)).join(", ");
  return (
    <>
      <h1>{w.pages.trash}</h1>
      <p class="quiet">{w.trashText}</p>
      <Listing
        label={w.pages.trash}
        of={{ data: trash.data?.pages.flatMap((page) => page.items), error: trash.error, refetch: trash.refetch }}
        none={w.trashNone}
        columns={[{ text: w.name }, { text: w.kind }, { text: w.deleted, class: "wide" }, { text: w.expires, class: "wide" }, ...(may.change ? [{ text: "" }] : [])]}
        row={(one) => (
          <tr key={one.id}>
            <th scope="row">{one.name}</th>
            <td>{w.trashKinds[one.kind]}</td>
            <td class="wide"><time dateTime={one.deletedAt} title={at(one.deletedAt)}>{ago(one.deletedAt)}</time></td>
            <td class="wide"><time dateTime={one.expiresAt} title={at(one.expiresAt)}>{ago(one.expiresAt)}</time></td>
            {may.change && (
              <td class="number">
                <button
                  class="link"
                  aria-label={`${w.restore}: ${one.name}`}
                  onClick={() => void attempt(async () => (await api.restoreTrash({ path: { id: one.id }, body: {} }), await renewed(), say(words.restored(one.name))))}
                >
                  {w.restore}
                </button>
                {may.manage && <button class="link" aria-label={`${w.purge}: ${one.name}`} onClick={() => purge(one)}>{w.purge}</button>}
              </td>
            )}
          </tr>
        )}
      />
      {trash.hasNextPage && <p><button class="button" onClick={() => void trash.fetchNextPage()}>{words.matters.earlier}</button></p>}
      {purging && (
        <Ask
          title={w.purgeTitle(purging.name)}
          text={w.purgeText(held(purging))}
          yes={w.purge}
          close={() => purge(undefined)}
          act={async (signal) => {
            await api.purgeTrash({ path: { id: purging.id }, signal });
            await renewed();
          }}
        />
      )}
    </>
  );
}
