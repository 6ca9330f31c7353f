import { ArrowDown, ArrowUp, Briefcase, CircleStop, Download, Ellipsis, FolderUp, RotateCw, Trash2, Upload, X } from "lucide-preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { useQueryOf } from "../../address.js";
import { api, type Schemas, status } from "../../data/client.js";
import { type File, type Narrowed, useFiles, useTeamStatus } from "../../data/files.js";
import { renew } from "../../data/live.js";
import { useMay } from "../../data/people.js";
import { pending, sourceOf, sourcesOf, upload } from "../../data/uploads.js";
import { useKeys } from "../../keys.js";
import { Help, readRequest } from "../../parts/help.js";
import { Menu } from "../../parts/menu.js";
import { Empty, Failed, Skeleton } from "../../parts/states.js";
import { attempt, say } from "../../parts/toasts.js";
import { useVirtual } from "../../parts/virtual.js";
import { words } from "../../words.js";
import { PutIntoMatter } from "../matters/put.js";
import { ColumnsMenu, layoutOf, useColumns } from "./columns.js";
import { Preview } from "./preview.js";
import { Row, rowHeight } from "./row.js";

type Status = Schemas["ProcessingStatus"];

/** What a bulk change is done to. */
type Chosen = { fileIds: string[] } | { filter: Schemas["FileFilter"] } | { all: true };

/** Filters that are offered as buttons: each is one or more statuses. */
const offered: { name: string; status: Status[] }[] = [
  { name: words.files.statusAll, status: [] },
  { name: words.status.processing, status: ["queued", "processing"] },
  { name: words.status.completed, status: ["completed", "completed_with_warnings"] },
  { name: words.status.failed, status: ["failed"] },
];

/** Samples that everybody may load: they come with the console. */
const samples = ["Distributor agreement (CUAD).pdf", "Web site hosting agreement (CUAD).pdf", "Consulting agreement (CUAD).pdf"];

/** All files of the team, with what happens to them. */
export function Inbox() {
  const { route } = useLocation();
  const [query, change] = useQueryOf();
  const narrowed = useMemo<Narrowed>(() => {
    const status = query.getAll("status") as Status[];
    const q = query.get("q");
    const sort = query.get("sort");
    const filter = query.get("filter");
    return { ...(status.length > 0 && { status }), ...(q && { q }), ...(sort && { sort }), ...(filter && { filter }) };
  }, [query]);
  const files = useFiles(narrowed);
  const team = useTeamStatus();
  const columns = useColumns();
  const all = useMemo(() => files.data?.pages.flatMap((page) => page.items) ?? [], [files.data]);
  const total = files.data?.pages[0]?.total ?? 0;

  const [here, stay] = useState({ id: "", index: 0 }); // files that come in above it do not move the cursor to another one
  const [{ selected, whole }, choose] = useState<{ selected: ReadonlySet<string>; whole: boolean }>({ selected: new Set(), whole: false });
  const select = (selected: ReadonlySet<string>, whole = false): void => choose({ selected, whole }); // whole: what the list has not loaded, too
  const [over, drag] = useState(false);
  const [putting, put] = useState<File[]>([]);
  const may = useMay();
  const [unsent, tellUnsent] = useState(0);
  const scroller = useRef<HTMLDivElement>(null);
  const filter = useRef<HTMLInputElement>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const { items, height, virtualizer } = useVirtual({ count: all.length, size: () => rowHeight, scroller, overscan: 12 });

  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (files.hasNextPage && !files.isFetchingNextPage && last >= all.length - 40) void files.fetchNextPage();
  }, [last, all.length, files.hasNextPage, files.isFetchingNextPage]);
  useEffect(() => void pending.count().then(tellUnsent), []);
  useEffect(() => folder.current?.setAttribute("webkitdirectory", ""), []);

  const found = all.findIndex(({ id }) => id === here.id);
  const cursor = found >= 0 ? found : Math.min(here.index, all.length - 1);
  const current = all[cursor];
  const move = (index: number): void => stay({ id: all[index]?.id ?? "", index });
  const go = (to: number): void => {
    const next = Math.max(0, Math.min(to, all.length - 1));
    move(next);
    virtualizer.scrollToIndex(next);
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
      m: () => put(selected.size > 0 ? all.filter((file) => selected.has(file.id)) : current ? [current] : []),
    }),
    Escape: () => select(new Set()),
  });

  const take = (input: HTMLInputElement): void => {
    tellUnsent(0);
    const sources = [...(input.files ?? [])].map((file) => sourceOf(file));
    input.value = ""; // the same ones can be chosen again
    void attempt(() => upload(sources));
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
  const narrowing = { ...rest, ...(text && { filter: JSON.parse(text) as Schemas["Condition"] }) };
  const chosen: Chosen = !whole ? { fileIds: ids } : Object.keys(narrowing).length > 0 ? { filter: narrowing } : { all: true };
  const n = whole ? total : ids.length;
  const reading = all.filter(({ id, status }) => selected.has(id) && (status === "queued" || status === "processing")).map(({ id }) => id);
  const cancel = (): void =>
    void attempt(async () => {
      select(new Set());
      const stopped: string[] = [];
      try {
        for (const fileId of reading) {
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
      <div class="inbox-body">
        <section class="list" aria-label={words.files.title} style={layoutOf(columns.shown)}>
          {selected.size > 0 ? (
            <div class="bulk" role="toolbar" aria-label={words.files.selected(n)}>
              <button class="bare" aria-label={words.close} onClick={() => select(new Set())}>
                <X size={16} class="icon" />
              </button>
              <strong>{words.files.selected(n)}</strong>
              {!whole && all.length === selected.size && total > all.length && <button class="link" onClick={() => select(selected, true)}>{words.files.selectWhole(total)}</button>}
              {reading.length > 0 && (
                <button class="button" onClick={cancel}>
                  <CircleStop size={16} class="icon" /> {words.files.stop(reading.length)}
                </button>
              )}
              <button class="button" onClick={() => readAgain(chosen)}>
                <RotateCw size={16} class="icon" /> {words.files.readAgain}
              </button>
              {!whole && (
                <button class="button" onClick={() => put(all.filter((file) => selected.has(file.id)))}>
                  <Briefcase size={16} class="icon" /> {words.matters.put}
                </button>
              )}
              <button class="button" onClick={() => remove(chosen, n)}>
                <Trash2 size={16} class="icon" /> {words.files.remove}
              </button>
            </div>
          ) : (
            <div class="head-row">
              <input type="checkbox" aria-label={words.files.selectAll} checked={false} onChange={() => select(new Set(all.map((file) => file.id)))} disabled={all.length === 0 || !may.change} />
              <Sorted name="name" sort={narrowed.sort} change={change}>{words.files.columns.name}</Sorted>
              <span>{words.files.columns.status}</span>
              {columns.shown.map(({ name, sort, stays, number }) => (
                <span key={name} class={`${stays ? "stays" : "wide"} ${number ? "number" : ""}`}>
                  {sort ? <Sorted name={sort} sort={narrowed.sort} change={change}>{words.files.columns[name]}</Sorted> : words.files.columns[name]}
                </span>
              ))}
              <ColumnsMenu {...columns} />
            </div>
          )}
          <div class="rows" ref={scroller} tabIndex={0} {...(current && { role: "grid", "aria-label": words.files.title, "aria-multiselectable": true, "aria-rowcount": total, "aria-activedescendant": `file-${current.id}` })}>
            {files.isPending && <Skeleton lines={12} />}
            {files.error && all.length === 0 && <Failed error={files.error} again={() => void files.refetch()} />}
            {files.data && all.length === 0 && (
              <Empty title={nothing ? words.files.emptyTitle : words.files.noneTitle}>
                <p>{nothing ? (may.change ? words.files.emptyText : words.files.emptyViewer) : words.files.noneText}</p>
                {nothing && may.change && <button class="button" onClick={loadSamples}>{words.files.samples}</button>}
                {!nothing && <button class="button" onClick={() => change({ q: undefined, status: undefined, filter: undefined })}>{words.files.clear}</button>}
              </Empty>
            )}
            <div class="tall" {...(current && { role: "rowgroup" })} style={{ height: `${height}px` }}>
              {items.map((item) => {
                const file = all[item.index];
                return (
                  file && (
                    <Row
                      key={file.id}
                      file={file}
                      index={item.index}
                      top={item.start}
                      columns={columns.shown}
                      current={file === current}
                      selected={selected.has(file.id)}
                      choose={() => move(item.index)}
                      toggle={may.change ? () => toggle(file.id) : undefined}
                      menu={
                        <Menu
                          class="bare"
                          label={`${words.more}: ${file.name}`}
                          entries={[
                            ...(may.change ? [{ text: words.files.readAgain, icon: RotateCw, act: () => readAgain({ fileIds: [file.id] }) }] : []),
                            { text: words.files.download, icon: Download, act: () => location.assign(`/api/files/${file.id}/download`) },
                            ...(may.change ? [{ text: words.matters.put, icon: Briefcase, act: () => put([file]) }, {}, { text: words.files.remove, icon: Trash2, act: () => remove({ fileIds: [file.id] }, 1) }] : []),
                          ]}
                        >
                          <Ellipsis size={16} class="icon" />
                        </Menu>
                      }
                    />
                  )
                );
              })}
            </div>
          </div>
        </section>
        <Preview file={current} />
      </div>
      {putting.length > 0 && (
        <PutIntoMatter
          files={putting}
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
