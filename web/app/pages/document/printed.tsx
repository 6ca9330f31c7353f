import type { ComponentProps } from "preact";
import { usePrint } from "../../data/document.js";
import { Store } from "../../data/store.js";
import { Failed, Skeleton } from "../../parts/states.js";
import { words } from "../../words.js";
import { Pages } from "./pages.js";

const key = "clausemill.flowing";

/** How files that flow are shown: as their text, or laid out as pages. Each browser remembers it. */
export const flowing = new Store<"text" | "pages">(localStorage.getItem(key) === "pages" ? "pages" : "text");
flowing.follow(() => localStorage.setItem(key, flowing.value));

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
export function Flowing({ as }: { as: "text" | "pages" }) {
  return (
    <div class="segments" role="group" aria-label={words.document.shownAs}>
      <button aria-pressed={as === "text"} onClick={() => (flowing.value = "text")}>{words.document.asText}</button>
      <button aria-pressed={as === "pages"} onClick={() => (flowing.value = "pages")}>{words.document.pages}</button>
    </div>
  );
}
