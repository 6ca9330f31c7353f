import { Bookmark, Download, Ellipsis, FileText, Pencil, Trash2, X } from "lucide-preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { useQueryOf } from "../../address.js";
import { api, saying, type Schemas, status } from "../../data/client.js";
import { useLabelName, useTags, written } from "../../data/document.js";
import { paged } from "../../data/files.js";
import { addressOf, alsoFound, labelsNamed, asks as isQuestion, conditionOf, facets, parametersOf, readSearch, runsOf, type SavedSearch, useSavedSearches, useSearch, useSynonyms } from "../../data/search.js";
import { renew } from "../../data/live.js";
import { language, named } from "../../format.js";
import { useKeys } from "../../keys.js";
import { AnswerTo, useAnswer } from "../../parts/answer.js";
import { Dialog } from "../../parts/dialog.js";
import { Help } from "../../parts/help.js";
import { Menu } from "../../parts/menu.js";
import { usePhone } from "../../parts/phone.js";
import { Empty, Failed, Skeleton } from "../../parts/states.js";
import { attempt, say } from "../../parts/toasts.js";
import { useTitle } from "../../parts/title.js";
import { toTrash } from "../../parts/trash.js";
import { words } from "../../words.js";

/** A value of a facet in words. */
const wordOf = (name: string, value: string, label = value): string =>
  (name === "language" && language(value)) || (name === "status" && words.status[value as Schemas["ProcessingStatus"]]) || (name === "lifecycleStage" && words.lifecycle[value as Schemas["LifecycleStage"]]) || (label === value ? named(value) : label);

type Answer = Schemas["FileHits"];

const placeOf = (hit: Schemas["Hit"]): string => `/files/${hit.fileId}?at=${written(hit.span)}`;

/** Words in all contracts: each hit leads to its place on the page. */
export function Search() {
  const { route } = useLocation();
  const [query, change] = useQueryOf();
  const search = useMemo(() => readSearch(query), [query]);
  const [typed, type] = useState(search.q);
  const [typing, tell] = useState(false);
  const sent = useRef(search.q);
  const field = useRef<HTMLInputElement>(null);
  const found = useSearch(search, typing);
  const question = !typing && isQuestion(search.q);
  const answer = useAnswer(search.q, question, true);
  const synonyms = useSynonyms();
  const labelName = useLabelName();
  const [cursor, move] = useState(-1);
  const [saving, save] = useState<Partial<SavedSearch> | undefined>();

  // What is typed goes into the address after a moment; an address from elsewhere into the field.
  useEffect(() => {
    if (typed === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = typed;
      change({ q: typed });
    }, 200);
    return () => clearTimeout(timer);
  }, [typed, change]);
  useEffect(() => {
    if (search.q === sent.current) return;
    sent.current = search.q;
    type(search.q);
    tell(false);
  }, [search.q]);
  useEffect(() => move(-1), [query]);
  useEffect(() => {
    if (search.q === "") field.current?.focus();
  }, []);
  useTitle(words.search.title);

  // An expression that is not finished is no reason to take away what was found.
  const last = useRef<Answer[]>([]);
  if (found.data) last.current = found.data.pages;
  const asks = search.q !== "" || search.chosen.length > 0 || search.other !== undefined;
  const unfinished = asks && status(found.error) === 422;
  const pages = asks ? (found.data?.pages ?? (unfinished ? last.current : [])) : [];
  const files = pages.flatMap((page) => page.items);
  const first = pages[0];
  const targets = files.flatMap((file) => (file.hits.length > 0 ? file.hits.map((hit) => ({ id: hit.sentenceId, path: placeOf(hit) })) : [{ id: file.fileId, path: `/files/${file.fileId}` }]));
  const current = targets[cursor];
  const go = (to: number): void => {
    const next = Math.max(0, Math.min(to, targets.length - 1));
    move(next);
    document.getElementById(`hit-${targets[next]?.id}`)?.scrollIntoView({ block: "nearest" });
    if (next >= targets.length - 5 && found.hasNextPage && !found.isFetchingNextPage) void found.fetchNextPage();
  };
  useKeys({
    j: () => go(cursor + 1),
    k: () => go(cursor - 1),
    ArrowDown: () => go(cursor + 1),
    ArrowUp: () => go(cursor - 1),
    Enter: () => current && route(current.path),
    "/": () => field.current?.focus(),
  });

  const parameters = new URLSearchParams(Object.entries(parametersOf(search, false)).map(([name, value]): [string, string] => [name, String(value)]));
  const toggle = (name: string, value: string): void => {
    const values = query.getAll(name);
    change({ [name]: values.includes(value) ? values.filter((one) => one !== value) : [...values, value] });
  };
  const label = (name: string, value: string): string => wordOf(name, value, first?.facets?.[name]?.find((one) => one.value === value)?.label);
  const tags = useTags();
  const clauses = search.q === "" ? [] : labelsNamed(search.q, tags.data ?? []).filter(({ key }) => !query.getAll("label").includes(key));
  const also = alsoFound(search.q, synonyms.data ?? []);
  const sections = first?.groups?.sections?.items ?? [];
  const phone = usePhone();
  const narrowing = (
    <>
      <Saved rename={save} />
      {facets.map((name) => {
        const counts = first?.facets?.[name] ?? [];
        if (counts.length === 0) return null;
        return (
          <fieldset key={name}>
            <legend>{words.search.facets[name]}</legend>
            {counts.slice(0, 8).map(({ value, label: text, count }) => (
              <label key={value} class="facet">
                <input type="checkbox" checked={query.getAll(name).includes(value)} onChange={() => toggle(name, value)} />
                <span class="cut">{wordOf(name, value, text)}</span>
                <span class="quiet">{count.toLocaleString()}</span>
              </label>
            ))}
          </fieldset>
        );
      })}
    </>
  );
  return (
    <div class="search">
      <header class="page-head">
        <h1>{words.search.title}</h1>
        <form
          class="search-form"
          role="search"
          onSubmit={(event) => {
            event.preventDefault();
            sent.current = typed;
            tell(false);
            change({ q: typed });
            field.current?.blur();
            if (targets.length > 0) go(0);
          }}
        >
          <input
            ref={field}
            type="search"
            aria-label={words.search.field}
            placeholder={words.search.placeholder}
            maxLength={4000}
            value={typed}
            onInput={(event) => {
              type(event.currentTarget.value);
              tell(true);
            }}
            onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
          />
        </form>
        <Help title={words.search.title} text={words.search.help} request={{ method: "GET", path: `/api/search?${parameters}` }} />
        <label class="check">
          <input type="checkbox" checked={!search.copies} onChange={(event) => change({ copies: event.currentTarget.checked ? "no" : undefined })} /> {words.search.noCopies}
        </label>
        <span class="push" />
        <button class="button" disabled={!asks} onClick={() => save({})}>
          <Bookmark size={16} class="icon" /> {words.search.save}
        </button>
        <a class={asks ? "button" : "button hidden"} href={`/api/export/search?format=csv&${parameters}`} download>
          <Download size={16} class="icon" /> {words.search.export}
        </a>
      </header>
      <div class="search-state">
        <span role="status" class="quiet">{first && words.search.count(first.total, first.exact)}</span>
        {search.chosen.flatMap(([name, values]) =>
          values.map((value) => (
            <button key={name + value} class="chip" aria-label={words.search.without(label(name, value))} onClick={() => toggle(name, value)}>
              {label(name, value)} <X size={12} class="icon" />
            </button>
          )),
        )}
        {search.other && (
          <button class="chip" aria-label={words.search.without(words.search.other)} onClick={() => change({ filter: undefined })}>
            {words.search.other} <X size={12} class="icon" />
          </button>
        )}
        {also.length > 0 && <span class="quiet">{words.search.also(also)}</span>}
      </div>
      <div class="search-body">
        {phone ? (
          <details class="narrow">
            <summary>{words.search.narrow}</summary>
            {narrowing}
          </details>
        ) : (
          <aside class="narrow" aria-label={words.search.narrow}>{narrowing}</aside>
        )}
        <section class="hits" tabIndex={0} aria-label={words.search.hits} aria-busy={found.isFetching}>
          {question && <AnswerTo text={search.q} answer={answer} />}
          {unfinished && <p class="note" role="status">{saying(found.error)}</p>}
          {first?.corrected && <p class="note" role="status">{words.search.corrected(first.corrected, search.q)}</p>}
          {first?.relaxed && <p class="note" role="status">{words.search.relaxed}</p>}
          {!asks && <Operators use={(text) => (type(text), tell(false), field.current?.focus())} />}
          {asks && found.isPending && <Skeleton lines={12} />}
          {found.error && !unfinished && pages.length === 0 && <Failed error={found.error} again={() => void found.refetch()} />}
          {first && files.length === 0 && !(question && answer.data) && (
            <Empty title={words.search.none}>
              <p>{words.search.noneText}</p>
              {conditionOf(search) && <button class="button" onClick={() => change({ ...Object.fromEntries(facets.map((name) => [name, undefined])), copies: undefined, filter: undefined })}>{words.files.clear}</button>}
            </Empty>
          )}
          {clauses.length > 0 && (
            <p class="beside-hits">
              <span class="quiet">{words.search.clauses}</span>
              {clauses.map(({ key, name }) => <a key={key} class="chip cut" href={`/search?${new URLSearchParams({ label: key })}`}>{name}</a>)}
            </p>
          )}
          {sections.length > 0 && (
            <p class="beside-hits">
              <span class="quiet">{words.search.sections}</span>
              {sections.map((section) => (
                <a key={section.sectionId} class="chip cut" href={`/files/${section.fileId}?at=${written(section.span)}`} title={section.fileName}>{`${section.number} ${section.title}`}</a>
              ))}
            </p>
          )}
          <ol>
            {files.map((file) => (
              <li key={file.fileId} class="found">
                <h2>
                  <FileText size={16} class="icon" />
                  <a id={file.hits.length === 0 ? `hit-${file.fileId}` : undefined} class={current?.id === file.fileId ? "cut current" : "cut"} href={`/files/${file.fileId}`}><Marked snippet={file.snippet} /></a>
                  {file.matches > 0 && <small class="quiet">{words.search.matches(file.matches)}</small>}
                </h2>
                {file.hits.map((hit) => (
                  <a key={hit.sentenceId} id={`hit-${hit.sentenceId}`} class={current?.id === hit.sentenceId ? "hit current" : "hit"} href={placeOf(hit)}>
                    <span class="hit-page">{paged(file) && words.document.short(hit.page)}</span>
                    <span class="hit-text">
                      <Marked snippet={hit.snippet} />
                      {hit.labels.map(({ node }) => <small key={node} class="chip">{labelName(node)}</small>)}
                    </span>
                  </a>
                ))}
              </li>
            ))}
          </ol>
          {found.hasNextPage && asks && (
            <button class="button" disabled={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>{words.search.more}</button>
          )}
        </section>
      </div>
      <Keep open={saving} close={() => save(undefined)} search={search} />
    </div>
  );
}

/** A snippet as text, with what matched marked. */
function Marked({ snippet }: { snippet: string }) {
  return <>{runsOf(snippet).map(({ text, marked }, i) => (marked ? <mark key={i}>{text}</mark> : text))}</>;
}

/** What can be written in the field, with examples to begin with. */
function Operators({ use }: { use: (text: string) => void }) {
  return (
    <div class="operators">
      <h2>{words.search.begin}</h2>
      <dl>
        {words.search.operators.map(([example, says]) => (
          <div key={example}>
            <dt><button class="link mono" onClick={() => use(example)}>{example}</button></dt>
            <dd>{says}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function Saved({ rename }: { rename: (one: SavedSearch) => void }) {
  const saved = useSavedSearches();
  const remove = (one: SavedSearch): void => toTrash(one.name, () => api.deleteSavedSearch({ path: { id: one.id } }), ["saved"]);
  return (
    <section class="saved" aria-labelledby="saved-title">
      <h2 id="saved-title">{words.search.saved}</h2>
      {saved.data?.length === 0 && <p class="quiet">{words.search.savedNone}</p>}
      {saved.error && <button class="link" onClick={() => void saved.refetch()}>{words.tryAgain}</button>}
      <ul>
        {saved.data?.map((one) => (
          <li key={one.id}>
            <a class="cut" href={addressOf(one)} title={one.q}>{one.name}</a>
            <Menu
              class="bare small"
              label={`${words.more}: ${one.name}`}
              entries={[
                { text: words.search.rename, icon: Pencil, act: () => rename(one) },
                { text: words.files.remove, icon: Trash2, act: () => remove(one) },
              ]}
            >
              <Ellipsis size={14} class="icon" />
            </Menu>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Asks for the name of a search: of this one, or another one for a search that was saved. */
function Keep({ open, close, search }: { open: Partial<SavedSearch> | undefined; close: () => void; search: ReturnType<typeof readSearch> }) {
  const [name, type] = useState("");
  useEffect(() => type(open?.name ?? search.q), [open]);
  const keep = (event: Event): void => {
    event.preventDefault();
    const filter = conditionOf(search);
    void attempt(async () => {
      if (open?.id) await api.updateSavedSearch({ path: { id: open.id }, body: { name } });
      else await api.createSavedSearch({ body: { name, q: search.q, ...(filter && { filter }) } });
      renew("saved");
      close();
      say(words.search.kept(name));
    });
  };
  return (
    <Dialog open={open !== undefined} close={close} title={open?.id ? words.search.rename : words.search.save}>
      <form class="unlock" onSubmit={keep}>
        <input type="text" required maxLength={200} aria-label={words.search.name} placeholder={words.search.name} value={name} onInput={(event) => type(event.currentTarget.value)} data-autofocus />
        <button class="button primary">{words.document.save}</button>
      </form>
    </Dialog>
  );
}
