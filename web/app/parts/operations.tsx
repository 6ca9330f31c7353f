import { useQuery } from "@tanstack/preact-query";
import { api, type Schemas } from "../data/client.js";
import { renew } from "../data/live.js";
import { useMay } from "../data/people.js";
import { named } from "../format.js";
import { words } from "../words.js";
import { attempt } from "./toasts.js";

/** What goes on in the team behind the page, with how far it is: bulk changes, analyses, redlines. */
export function Operations() {
  const may = useMay();
  const { data } = useQuery({ queryKey: ["operations"], queryFn: async ({ signal }) => (await api.listOperations({ query: { limit: 20 }, signal })).items });
  // One that is over in a moment is not worth a box.
  const running = data?.filter(({ state, total }) => state === "running" && total > 1).slice(0, 4) ?? [];
  if (running.length === 0) return null;
  const cancel = (one: Schemas["Operation"]): void =>
    void attempt(async () => {
      await api.cancelOperation({ path: { id: one.id } });
      renew("operations", "files", "team");
    });
  return (
    <section class="uploads" aria-label={words.operations.title}>
      {running.map((one) => {
        const name = words.operations.kinds[one.kind] ?? named(one.kind);
        return (
          <div key={one.id}>
            <header>
              <strong>{words.operations.progress(name, one.done, one.total)}</strong>
              {may.change && <button class="link" aria-label={`${words.operations.cancel}: ${name}`} onClick={() => cancel(one)}>{words.operations.cancel}</button>}
            </header>
            <progress max={one.total} value={one.done} aria-label={name} />
          </div>
        );
      })}
    </section>
  );
}
