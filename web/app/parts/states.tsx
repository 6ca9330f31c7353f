import { CircleAlert } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { saying, status } from "../data/client.js";
import { words } from "../words.js";

/** Grey lines in the shape of what is being loaded. */
export function Skeleton({ lines = 6 }: { lines?: number }) {
  return (
    <div class="skeleton" role="status" aria-label={words.loading}>
      {Array.from({ length: lines }, (_, i) => (
        <div key={i} class="skeleton-line" />
      ))}
    </div>
  );
}

/** What to do where there is nothing yet. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Why something could not be loaded, with a button to try again. */
export function Failed({ error, again }: { error: unknown; again?: () => void }) {
  const gone = status(error) === 404;
  return (
    <div class="empty" role="alert">
      <CircleAlert size={24} class="icon" />
      <h2>{gone ? words.error.gone : words.error.failed}</h2>
      <p>{gone ? words.error.goneText : saying(error)}</p>
      {gone ? <a class="button" href="/">{words.error.back}</a> : again && <button class="button" onClick={again}>{words.tryAgain}</button>}
    </div>
  );
}
