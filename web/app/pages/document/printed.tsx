import type { ComponentProps } from "preact";
import { useQueryOf } from "../../address.js";
import { usePrint } from "../../data/document.js";
import { Store, useStore } from "../../data/store.js";
import { Failed, Skeleton } from "../../parts/states.js";
import { words } from "../../words.js";
import { Pages } from "./pages.js";

const key = "clausemill.flowing";

/** Files that flow are shown as their text, or laid out as pages. */
type As = "text" | "pages";

const chosen = new Store<As>(localStorage.getItem(key) === "pages" ? "pages" : "text");
chosen.follow(() => localStorage.setItem(key, chosen.value));

/** How a file that flows is shown: as its address says, or else as this browser remembers it. Choosing says it to both. */
export function useFlowing(): [As, (as: As) => void] {
  const [query, change] = useQueryOf();
  const remembered = useStore(chosen);
  const asked = query.get("as");
  const choose = (as: As): void => {
    chosen.value = as;
    change({ as });
  };
  return [asked === "text" || asked === "pages" ? asked : remembered, choose];
}

/** The pages that a file which flows is printed on. */
export function Printed(props: ComponentProps<typeof Pages>) {
  const { data, error, refetch } = usePrint(props.file);
  if (data) return <Pages {...props} />;
  if (error) return <Failed error={error} again={() => void refetch()} />;
  return (
    <section class="pages" aria-label={words.document.pages} aria-busy="true">
      <p class="note" role="status">{words.document.layingOut}</p>
      <Skeleton lines={20} />
    </section>
  );
}

/** Chooses between the text and the pages. */
export function Flowing({ as, choose }: { as: As; choose: (as: As) => void }) {
  return (
    <div class="segments" role="group" aria-label={words.document.shownAs}>
      <button aria-pressed={as === "text"} onClick={() => choose("text")}>{words.document.asText}</button>
      <button aria-pressed={as === "pages"} onClick={() => choose("pages")}>{words.document.pages}</button>
    </div>
  );
}
