import { ArrowDown, ArrowUp, Briefcase, CircleStop, Download, FolderUp, RotateCw, Trash2, Upload, X } from "lucide-preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { useQueryOf } from "../../address.js";
import { api, type Schemas, status } from "../../data/client.js";
import { gathered } from "../../data/document.js";
import { type File, type Narrowed, useFiles, useTeamStatus } from "../../data/files.js";
import { renew } from "../../data/live.js";
import { useMay } from "../../data/people.js";
import { pending, sourceOf, sourcesOf, upload, uploading } from "../../data/uploads.js";
import { useKeys } from "../../keys.js";
import { Help, readRequest } from "../../parts/help.js";
import { type Entry, Menu } from "../../parts/menu.js";
import { Empty, Failed, Skeleton } from "../../parts/states.js";
import { attempt, say } from "../../parts/toasts.js";
import { useTitle } from "../../parts/title.js";
import { words } from "../../words.js";
import { PutIntoMatter } from "../matters/put.js";
import { ColumnsMenu, layoutOf, useColumns } from "./columns.js";
import { Preview } from "./preview.js";
import { Rows } from "./rows.js";
import { Who } from "./who.js";

type Status = Schemas["ProcessingStatus"];

/** What a bulk change is done to. */
type Chosen = { fileIds: string[] } | { filter: Schemas["FileFilter"] } | { all: true };

/** Of files whose reading has not ended. */
const unread: Status[] = ["queued", "processing"];

/** Filters that are offered as buttons: each is one or more statuses. */
const offered: { name: string; status: Status[] }[] = [
  { name: words.files.statusAll, status: [] },
  { name: words.status.processing, status: unread },
  { name: words.status.completed, status: ["completed", "completed_with_warnings"] },
  { name: words.status.failed, status: ["failed"] },
];

/** Samples that everybody may load: they come with the console. */
const samples = ["Distributor agreement (CUAD).pdf", "Web site hosting agreement (CUAD).pdf", "Consulting agreement (CUAD).pdf"];

/** All files of the team, with what happens to them. */
export function Inbox() {
  useTitle(words.files.title);
  const { route } = useLocation();
  const [query, change] = useQueryOf();
  const narrowed = useMemo<Narrowed>(() => {
    const status = query.getAll("status") as Status[];
    const q = query.get("q");
    const sort = query.get("sort");
    const filter = query.get("filter");
    return { ...(status.length > 0 && { status }), ...(q && { q }), ...(sort && { sort }), ...(filter && { filter }) };
  }, [query]);
  const columns = useColumns();
  const files = useFiles(narrowed, columns.shown.flatMap(({ attribute }) => attribute ?? []));
  const team = useTeamStatus();
  const { files: all, skipped, total } = files;

  // Files that come in above it do not move the cursor to another one, and it may be on one that is not loaded any more.
  const [here, stay] = useState<{ file?: File | undefined; index: number; of: Narrowed }>({ index: 0, of: narrowed });
  const [{ selected, whole }, choose] = useState<{ selected: ReadonlySet<string>; whole: boolean }>({ selected: new Set(), whole: false });
  const select = (selected: ReadonlySet<string>, whole = false): void => choose({ selected, whole }); // whole: what the list has not loaded, too
  const [over, drag] = useState(false);
  const [putting, put] = useState<string[]>([]);
  const may = useMay();
  const [unsent, tellUnsent] = useState(0);
  const show = useRef<(index: number) => void>(null);
  const filter = useRef<HTMLInputElement>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  useEffect(() => void pending.count().then((n) => uploading.value?.running || tellUnsent(n)), []);
  useEffect(() => folder.current?.setAttribute("webkitdirectory", ""), []);

  const loaded = (index: number): number => Math.max(skipped, Math.min(index, skipped + all.length - 1));
  const found = all.findIndex(({ id }) => id === here.file?.id);
  const away = found < 0 && here.of === narrowed && loaded(here.index) !== here.index && here.index < total;
  const cursor = found >= 0 ? skipped + found : away ? here.index : loaded(here.index);
  const current = away ? here.file : all[cursor - skipped];
  const move = (index: number): void => stay({ file: all[index - skipped], index, of: narrowed });
  const go = (to: number): void => {
    const next = loaded(to);
    move(next);
    show.current?.(next);
  };
  const toggle = (id: string): void => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    select(next);
  };
  const open = (file?: File): void => {
    if (file) route(`/files/${file.id}`);
  };
  useKeys({
    j: () => go(cursor + 1),
    k: () => go(cursor - 1),
    ArrowDown: () => go(cursor + 1),
    ArrowUp: () => go(cursor - 1),
    Enter: () => open(current),
    "/": () => filter.current?.focus(),
    ...(may.change && {
      x: () => current && toggle(current.id),
      u: () => chooser.current?.click(),
      m: () => put(selected.size > 0 ? ids : current ? [current.id] : []),
    }),
    Escape: () => select(new Set()),
  });

  const take = (input: HTMLInputElement): void => {
    tellUnsent(0);
    const files = [...(input.files ?? [])];
    input.value = ""; // the same ones can be chosen again
    void attempt(() => upload(files.map((file) => sourceOf(file))));
  };
  const dropped = (event: DragEvent): void => {
    event.preventDefault();
    drag(false);
    if (!may.change) return;
    tellUnsent(0);
    const transfer = event.dataTransfer;
    if (transfer) void attempt(async () => upload(await sourcesOf(transfer)));
  };
  const loadSamples = (): void =>
    void attempt(async () => {
      const sources = await Promise.all(
        samples.map(async (name) => {
          const answer = await fetch(`/samples/${encodeURIComponent(name)}`);
          if (!answer.ok) throw new Error(words.files.sampleMissing(name));
          return { name, content: await answer.blob() };
        }),
      );
      await upload(sources);
    });

  const ids = [...selected];
  const { sort: _, filter: text, ...rest } = narrowed;
  // The condition of the address is read only where the whole list is chosen: then the service has understood it.
  const chosen: Chosen = !whole ? { fileIds: ids } : text || Object.keys(rest).length > 0 ? { filter: { ...rest, ...(text && { filter: JSON.parse(text) as Schemas["Condition"] }) } } : { all: true };
  const n = whole ? total : ids.length;
  const isRead = ({ status }: File): boolean => unread.includes(status);
  const reading = all.filter((file) => (whole || selected.has(file.id)) && isRead(file)).length;
  const cancel = (): void =>
    void attempt(async () => {
      select(new Set());
      const stopped: string[] = [];
      try {
        // Of those that were chosen some may not be loaded.
        const among = unread.filter((one) => !narrowed.status || narrowed.status.includes(one));
        const all = among.length > 0 ? await gathered(api.all("listFiles", { query: { limit: 500, ...narrowed, status: among } })) : [];
        for (const { id: fileId } of all.filter(({ id }) => whole || selected.has(id))) {
          await api.setFileStatus({ path: { fileId }, body: { status: "cancelled" } }).then(() => stopped.push(fileId), (error: unknown) => status(error) === 409 || Promise.reject(error)); // it has ended meanwhile
        }
      } finally {
        renew("files", "team");
        if (stopped.length > 0) say(words.files.cancelled(stopped.length), () => readAgain({ fileIds: stopped }));
      }
    });
  const remove = (chosen: Chosen, expect: number): void =>
    void attempt(async () => {
      const { accepted, operationId } = await api.bulkDeleteFiles({ body: { ...chosen, expect } });
      select(new Set());
      renew("files", "team");
      say(words.files.removed(accepted), () =>
        attempt(async () => {
          if (operationId !== undefined) await ended(operationId);
          await api.bulkRestoreTrash({ body: { operationId: operationId ?? "" } });
          say(words.files.restored(accepted));
          renew("files", "team");
        }),
      );
    });
  const readAgain = (selection: Chosen): void =>
    void attempt(async () => {
      const { accepted } = await api.bulkReprocessFiles({ body: selection });
      select(new Set());
      say(words.files.queued(accepted));
      renew("files", "team");
    });

  const entries = (file: File): Entry[] => [
    ...(may.change ? [{ text: words.files.readAgain, icon: RotateCw, act: () => readAgain({ fileIds: [file.id] }) }] : []),
    { text: words.files.download, icon: Download, act: () => location.assign(`/api/files/${file.id}/download`) },
    ...(may.change ? [{ text: words.matters.put, icon: Briefcase, act: () => put([file.id]) }, {}, { text: words.files.remove, icon: Trash2, act: () => remove({ fileIds: [file.id] }, 1) }] : []),
  ];

  const failed = team.data?.filesByStatus["failed"] ?? 0;
  const nothing = team.data?.files === 0 && all.length === 0;
  return (
    <div
      class={over ? "inbox over" : "inbox"}
      onDragOver={(event) => {
        event.preventDefault(); // the browser does not open it
        drag(may.change);
      }}
      onDragLeave={(event) => event.currentTarget === event.target && drag(false)}
      onDrop={dropped}
    >
      <header class="page-head">
        <h1>{words.files.title}</h1>
        <span class="quiet" role="status">{files.data && words.files.count(total)}</span>
        <Help title={words.files.title} text={words.files.help} request={readRequest("/api/files", { limit: "100", ...narrowed })} />
        <input
          ref={filter}
          type="search"
          class="filter"
          placeholder={words.files.search}
          aria-label={words.files.search}
          value={query.get("q") ?? ""}
          onInput={(event) => change({ q: event.currentTarget.value })}
          onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
        />
        <div class="segments" role="group" aria-label={words.files.columns.status}>
          {offered.map(({ name, status }) => (
            <button key={name} aria-pressed={status.join() === (narrowed.status ?? []).join()} onClick={() => change({ status })}>{name}</button>
          ))}
        </div>
        {narrowed.filter && (
          <button class="chip" aria-label={words.search.without(words.search.other)} onClick={() => change({ filter: undefined })}>
            {words.search.other} <X size={12} class="icon" />
          </button>
        )}
        <span class="push" />
        {failed > 0 && may.change && (
          <button class="button" onClick={() => readAgain({ filter: { status: ["failed"] } })}>
            <RotateCw size={16} class="icon" /> {words.files.readAgainAll(failed)}
          </button>
        )}
        {may.change && (
          <Menu
            class="button primary"
            entries={[
              { text: words.files.uploadFiles, icon: Upload, act: () => chooser.current?.click() },
              { text: words.files.uploadFolder, icon: FolderUp, act: () => folder.current?.click() },
            ]}
          >
            <Upload size={16} class="icon" /> {words.files.upload}
          </Menu>
        )}
        <input ref={chooser} type="file" multiple hidden onChange={(event) => take(event.currentTarget)} />
        <input ref={folder} type="file" hidden onChange={(event) => take(event.currentTarget)} />
      </header>
      {unsent > 0 && (
        <p class="note" role="status">
          {words.files.resume(unsent)}
          <button class="link" onClick={() => void pending.set(0).then(() => tellUnsent(0))}>{words.close}</button>
        </p>
      )}
      {may.change && all.length > 0 && <Who />}
      <div class="inbox-body">
        <section class="list" aria-label={words.files.title} style={layoutOf(columns.shown)}>
          {selected.size > 0 ? (
            <div class="bulk" role="toolbar" aria-label={words.files.selected(n)}>
              <button class="bare" aria-label={words.close} onClick={() => select(new Set())}>
                <X size={16} class="icon" />
              </button>
              <strong>{words.files.selected(n)}</strong>
              {!whole && all.length === selected.size && total > all.length && <button class="link" onClick={() => select(selected, true)}>{words.files.selectWhole(total)}</button>}
              {reading > 0 && (
                <button class="button" onClick={cancel}>
                  <CircleStop size={16} class="icon" /> {words.files.stop(whole ? 1 : reading)}
                </button>
              )}
              <button class="button" onClick={() => readAgain(chosen)}>
                <RotateCw size={16} class="icon" /> {words.files.readAgain}
              </button>
              {!whole && (
                <button class="button" onClick={() => put(ids)}>
                  <Briefcase size={16} class="icon" /> {words.matters.put}
                </button>
              )}
              <button class="button" onClick={() => remove(chosen, n)}>
                <Trash2 size={16} class="icon" /> {words.files.remove}
              </button>
            </div>
          ) : (
            <div class="head-row">
              <input type="checkbox" aria-label={words.files.selectAll} checked={false} onChange={() => select(new Set(all.map((file) => file.id)), total > all.length)} disabled={all.length === 0 || !may.change} />
              <Sorted name="name" sort={narrowed.sort} change={change}>{words.files.columns.name}</Sorted>
              <span>{words.files.columns.status}</span>
              {columns.shown.map(({ name, head, sort, stays, number }) => (
                <span key={name} class={`${stays ? "stays" : "wide"} ${number ? "number" : ""}`}>
                  {sort ? <Sorted name={sort} sort={narrowed.sort} change={change}>{head}</Sorted> : head}
                </span>
              ))}
              <ColumnsMenu {...columns} />
            </div>
          )}
          <Rows
            files={all}
            skipped={skipped}
            total={total}
            columns={columns.shown}
            current={current}
            selected={selected}
            whole={whole}
            choose={move}
            toggle={may.change ? toggle : undefined}
            entries={entries}
            more={files.hasNextPage && !files.isFetching ? () => void files.fetchNextPage() : undefined}
            earlier={files.hasPreviousPage && !files.isFetching ? () => void files.earlier() : undefined}
            back={(index) => void attempt(() => files.back(index))}
            failed={files.isFetchNextPageError || files.isFetchPreviousPageError}
            show={show}
          >
            {files.isPending && <Skeleton lines={12} />}
            {files.error && all.length === 0 && <Failed error={files.error} again={() => void files.refetch()} />}
            {files.data && all.length === 0 && (
              <Empty title={nothing ? words.files.emptyTitle : words.files.noneTitle}>
                <p>{nothing ? (may.change ? words.files.emptyText : words.files.emptyViewer) : words.files.noneText}</p>
                {nothing && may.change && <button class="button" onClick={loadSamples}>{words.files.samples}</button>}
                {!nothing && <button class="button" onClick={() => change({ q: undefined, status: undefined, filter: undefined })}>{words.files.clear}</button>}
              </Empty>
            )}
          </Rows>
        </section>
        <Preview file={current} />
      </div>
      {putting.length > 0 && (
        <PutIntoMatter
          ids={putting}
          close={(done) => {
            put([]);
            if (done) select(new Set());
          }}
        />
      )}
      <div class="drop-here" aria-hidden="true">{words.files.drop}</div>
    </div>
  );
}

/** Waits until an operation does no more: what it has not done yet, it leaves. */
async function ended(id: string): Promise<void> {
  for (let asked = false; ; asked = true) {
    const { state } = await api.getOperation({ path: { id } });
    if (state !== "running") return;
    if (asked) await new Promise((go) => setTimeout(go, 200));
    else await api.cancelOperation({ path: { id } }).catch((error: unknown) => status(error) === 409 || Promise.reject(error)); // it has ended meanwhile
  }
}

/** The head of a column that the list can be sorted by: again turns it round. */
function Sorted({ name, sort, change, children }: { name: string; sort: string | undefined; change: (parts: Record<string, string | undefined>) => void; children: string }) {
  const down = sort === `-${name}`;
  const up = sort === name;
  return (
    <button class="sorted" aria-label={words.files.sort(children)} aria-pressed={up || down} onClick={() => change({ sort: up ? `-${name}` : down ? undefined : name })}>
      {children} {up && <ArrowUp size={14} class="icon" />} {down && <ArrowDown size={14} class="icon" />}
    </button>
  );
}
