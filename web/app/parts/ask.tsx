import { useState } from "preact/hooks";
import { words } from "../words.js";
import { Dialog } from "./dialog.js";
import { attempt } from "./toasts.js";

/**
 * Asks before what cannot be taken back, and says what it hits. Whoever cancels while it is
 * being done gives the signal to leave it.
 */
export function Ask({ title, text, yes, act, close, after }: { title: string; text: string; yes: string; act: (signal: AbortSignal) => Promise<void>; close: () => void; after?: () => HTMLElement | null }) {
  const [doing, tell] = useState<AbortController | null>(null);
  const leave = (): void => {
    doing?.abort();
    close();
  };
  const start = async (): Promise<void> => {
    const control = new AbortController();
    tell(control);
    await attempt(() => act(control.signal).then(() => control.signal.aborted || close(), (error: unknown) => control.signal.aborted || Promise.reject(error)));
    tell(null);
  };
  return (
    <Dialog open close={leave} title={title} {...(after && { after })}>
      <div class="form">
        <p>{text}</p>
        <footer>
          <button class="button" onClick={leave} data-autofocus>{words.cancel}</button>
          <button class="button danger" disabled={doing !== null} onClick={() => void start()}>{yes}</button>
        </footer>
      </div>
    </Dialog>
  );
}
