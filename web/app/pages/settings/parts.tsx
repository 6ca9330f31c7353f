import { refreshed } from "../../data/live.js";
import { useQuery } from "@tanstack/preact-query";
import { Check, Copy } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { ago } from "../../format.js";
import { Ask } from "../../parts/ask.js";
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

/** What programs sign in with. */
interface Credential {
  id: string;
  name: string;
  lastUsedAt: string | null;
  revokedAt: string | null;
}

interface Credentials<T> {
  page: "keys" | "accounts";
  list: () => Promise<T[]>;
  none: string;
  /** What is asked beside a name. */
  children: ComponentChildren;
  makeText: string;
  secretTitle: string;
  make: (name: string) => Promise<string>;
  revoke: (id: string, signal: AbortSignal) => Promise<unknown>;
  /** Gives a new secret in place of the old one. */
  replace?: (one: T) => Promise<string>;
  columns: { text: string; class?: string; show: (one: T) => ComponentChildren }[];
}

/** A page on which credentials of programs are made, whose secrets are shown once, and revoked. */
export function Credentials<T extends Credential>({ page, list, none, children, makeText, secretTitle, make, revoke, replace, columns }: Credentials<T>) {
  const all = useQuery({ queryKey: [page], queryFn: list });
  const [name, type] = useState("");
  const [secret, show] = useState("");
  const [revoking, ask] = useState<T>();
  const shown = (of: Promise<string>): Promise<void> => of.then((text) => (show(text), refreshed(page)));
  const used = { text: w.used, class: "wide", show: (one: T) => (one.lastUsedAt ? ago(one.lastUsedAt) : w.never) };
  return (
    <>
      <h1>{w.pages[page]}</h1>
      <form class="form inline" onSubmit={(event) => (event.preventDefault(), void attempt(() => shown(make(name.trim())).then(() => type(""))))}>
        <label>{w.name}<input type="text" required maxLength={200} value={name} onInput={(event) => type(event.currentTarget.value)} /></label>
        {children}
        <button class="button primary">{makeText}</button>
      </form>
      <Listing
        label={w.pages[page]}
        of={all}
        none={none}
        columns={[{ text: w.name }, ...columns, used, { text: "" }]}
        row={(one) => (
          <tr key={one.id}>
            <th scope="row">{one.name}</th>
            {[...columns, used].map(({ text, class: name = "", show }) => <td key={text} class={name}>{show(one)}</td>)}
            <td class="number">
              {one.revokedAt && <span class="quiet">{w.revoked}</span>}
              {!one.revokedAt && replace && <button class="link" aria-label={`${w.replace}: ${one.name}`} title={w.replaceText} onClick={() => void attempt(() => shown(replace(one)))}>{w.replace}</button>}
              {!one.revokedAt && <button class="link" aria-label={`${w.revoke}: ${one.name}`} onClick={() => ask(one)}>{w.revoke}</button>}
            </td>
          </tr>
        )}
      />
      {secret && <Secret title={secretTitle} secret={secret} close={() => show("")} />}
      {revoking && <Ask title={w.revokeTitle(revoking.name)} text={w.revokeText} yes={w.revoke} close={() => ask(undefined)} act={(signal) => revoke(revoking.id, signal).then(() => refreshed(page))} />}
    </>
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
