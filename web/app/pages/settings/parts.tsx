import { Check, Copy } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Dialog } from "../../parts/dialog.js";
import { Failed, Skeleton } from "../../parts/states.js";
import { attempt } from "../../parts/toasts.js";
import { words } from "../../words.js";

const w = words.settings;

/** What a query of this console gives, as far as a list needs it. */
interface Asked<T> {
  data: T[] | undefined;
  error: unknown;
  refetch: () => unknown;
}

/** A list as a table; a skeleton of it while it loads, why where it could not be, and a sentence where it is empty. */
export function Listing<T>({ label, of, columns, none, row }: { label: string; of: Asked<T>; columns: { text: string; class?: string }[]; none: string; row: (one: T) => ComponentChildren }) {
  if (of.error && !of.data) return <Failed error={of.error} again={() => void of.refetch()} />;
  if (!of.data) return <Skeleton lines={4} />;
  if (of.data.length === 0) return <p class="quiet">{none}</p>;
  return (
    <table class="table" aria-label={label}>
      <thead>
        <tr>{columns.map(({ text, class: name = "" }) => (text === "" ? <th key={name}><span class="unseen">{words.more}</span></th> : <th key={text} scope="col" class={name}>{text}</th>))}</tr>
      </thead>
      <tbody>{of.data.map(row)}</tbody>
    </table>
  );
}

/** A secret that is shown this once. */
export function Secret({ title, secret, close }: { title: string; secret: string; close: () => void }) {
  const [copied, tell] = useState(false);
  const copy = (): void => void attempt(async () => (await navigator.clipboard.writeText(secret), tell(true)));
  return (
    <Dialog open firm close={close} title={title}>
      <div class="form">
        <p>{w.once}</p>
        <p class="secret mono">{secret}</p>
        <footer>
          <button class="button" onClick={copy}>
            {copied ? <Check size={16} class="icon" /> : <Copy size={16} class="icon" />} {copied ? w.copied : w.copy}
          </button>
          <button class="button primary" onClick={close}>{w.kept}</button>
        </footer>
      </div>
    </Dialog>
  );
}

/** Asks before a key or an account is revoked. */
export function Revoke({ name, act, close }: { name: string; act: () => Promise<void>; close: () => void }) {
  return <Ask title={w.revokeTitle(name)} text={w.revokeText} yes={w.revoke} act={act} close={close} />;
}

/** Asks before what cannot be taken back, and says what it hits. */
export function Ask({ title, text, yes, act, close }: { title: string; text: string; yes: string; act: () => Promise<void>; close: () => void }) {
  return (
    <Dialog open close={close} title={title}>
      <div class="form">
        <p>{text}</p>
        <footer>
          <button class="button" onClick={close} data-autofocus>{words.cancel}</button>
          <button class="button danger" onClick={() => void attempt(async () => (await act(), close()))}>{yes}</button>
        </footer>
      </div>
    </Dialog>
  );
}
