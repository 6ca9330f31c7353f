import { CalendarClock, Columns3, Ellipsis, FileText, List, Lock, Plus, Trash2, UserCheck } from "lucide-preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { useQueryOf } from "../../address.js";
import { api, type Schemas } from "../../data/client.js";
import { renew } from "../../data/live.js";
import { type BoardMatter, type Matter, type MatterStage, type MatterStatus, moveMatter, type NarrowedMatters, stages, useBoard } from "../../data/matters.js";
import { nameOf, useMay, usePeople, useSession } from "../../data/people.js";
import { ago, at } from "../../format.js";
import { useKeys } from "../../keys.js";
import { Dialog } from "../../parts/dialog.js";
import { Help, readRequest } from "../../parts/help.js";
import { type Entry, Menu } from "../../parts/menu.js";
import { Empty, Failed, Skeleton } from "../../parts/states.js";
import { attempt, say } from "../../parts/toasts.js";
import { useTitle } from "../../parts/title.js";
import { toTrash } from "../../parts/trash.js";
import { words } from "../../words.js";

const w = words.matters;

/** Filters that are offered as buttons: each is one or more statuses. */
const offered: { name: string; status: MatterStatus[] }[] = [
  { name: w.going, status: [] },
  { name: w.ended, status: ["closed", "cancelled"] },
  { name: w.all, status: ["open", "on_hold", "closed", "cancelled"] },
];

/** All matters, in columns by their stage or as a list. */
export function Matters() {
  useTitle(w.title);
  const { route } = useLocation();
  const [query, change] = useQueryOf();
  const session = useSession();
  const may = useMay();
  const listed = query.get("view") === "list";
  const mine = query.get("owner") === "me";
  const asked = query.getAll("status") as MatterStatus[];
  const narrowed = useMemo<NarrowedMatters>(() => {
    const q = query.get("q");
    const chosen = query.getAll("status") as MatterStatus[];
    return { status: chosen.length > 0 ? chosen : ["open", "on_hold"], ...(q && { q }), ...(query.get("owner") === "me" && session && { ownerId: session.user.id }) };
  }, [query, session?.user.id]);
  const board = useBoard(narrowed);
  const all = useMemo(() => board.data?.pages.flatMap((page) => page.items) ?? [], [board.data]);
  const total = board.data?.pages[0]?.total ?? 0;
  const people = usePeople();
  const names = useMemo(() => new Map(people.data?.map((one) => [one.id, nameOf(one)])), [people.data]);
  const [making, make] = useState(false);
  const [cursor, point] = useState("");
  const [over, drag] = useState<MatterStage | "">("");
  const filter = useRef<HTMLInputElement>(null);
  const moving = useRef({ id: "", stage: "" });

  const columns = useMemo(() => stages.map((stage) => ({ stage, matters: all.filter((matter) => matter.stage === stage) })), [all]);
  const focus = (matter?: Matter): void => {
    if (!matter) return;
    point(matter.id);
    document.getElementById(`matter-${matter.id}`)?.focus();
  };
  const current = all.find(({ id }) => id === cursor);
  /** Goes through the list, or through a column of the board and from column to column. */
  const step = (down: number, right: number): void => {
    if (!current) return focus(listed ? all[0] : columns.find(({ matters }) => matters.length > 0)?.matters[0]);
    if (listed) return focus(all[all.indexOf(current) + down]);
    const column = columns.findIndex(({ stage }) => stage === current.stage);
    const row = columns[column]!.matters.indexOf(current);
    if (down !== 0) return focus(columns[column]!.matters[row + down]);
    const next = right > 0 ? columns.slice(column + 1) : columns.slice(0, column).reverse();
    const matters = next.find((one) => one.matters.length > 0)?.matters;
    focus(matters?.[Math.min(row, matters.length - 1)]);
  };
  const move = (matter: Matter, stage: MatterStage | undefined): void => {
    if (!stage || !may.change || stage === matter.stage) return;
    const before = matter.stage;
    void attempt(async () => {
      await moveMatter(matter.id, stage);
      say(w.moved(matter.name, w.stage[stage]), () => void attempt(() => moveMatter(matter.id, before)));
    });
    if (cursor === matter.id) moving.current = { id: matter.id, stage };
  };
  // A card that was moved is another one in another column, and keeps the focus.
  useEffect(() => {
    const { id, stage } = moving.current;
    if (!all.some((one) => one.id === id && one.stage === stage)) return;
    moving.current = { id: "", stage: "" };
    document.getElementById(`matter-${id}`)?.focus();
  }, [all]);
  useKeys({
    j: () => step(1, 0),
    ArrowDown: () => step(1, 0),
    k: () => step(-1, 0),
    ArrowUp: () => step(-1, 0),
    l: () => step(0, 1),
    ArrowRight: () => step(0, 1),
    h: () => step(0, -1),
    ArrowLeft: () => step(0, -1),
    ">": () => current && move(current, stages[stages.indexOf(current.stage) + 1]),
    "<": () => current && move(current, stages[stages.indexOf(current.stage) - 1]),
    Enter: () => current && route(`/matters/${current.id}`),
    "/": () => filter.current?.focus(),
    v: () => change({ view: listed ? undefined : "list" }),
    ...(may.change && { c: () => make(true) }),
  });

  const entries = (matter: Matter): Entry[] => [
    { text: w.moveTo, heading: true },
    ...stages.map((stage) => ({ text: w.stage[stage], checked: stage === matter.stage, act: () => move(matter, stage) })),
    {},
    { text: w.remove, icon: Trash2, act: () => remove(matter) },
  ];
  const card = (matter: BoardMatter) => ({
    matter,
    owner: names.get(matter.ownerId ?? "") ?? "",
    focused: () => point(matter.id),
    menu: may.change && (
      <Menu class="bare" label={`${words.more}: ${matter.name}`} entries={entries(matter)}>
        <Ellipsis size={16} class="icon" />
      </Menu>
    ),
  });
  const narrow = asked.length > 0 || mine || Boolean(query.get("q"));
  return (
    <div class="matters">
      <header class="page-head">
        <h1>{w.title}</h1>
        <span class="quiet" role="status">{board.data && w.count(total)}</span>
        <Help title={w.title} text={w.help} request={readRequest("/api/dashboard/matters", { limit: "200", ...narrowed })} />
        <input
          ref={filter}
          type="search"
          class="filter"
          placeholder={w.search}
          aria-label={w.search}
          value={query.get("q") ?? ""}
          onInput={(event) => change({ q: event.currentTarget.value })}
          onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
        />
        <div class="segments" role="group" aria-label={w.statusLabel}>
          {offered.map(({ name, status }) => (
            <button key={name} aria-pressed={status.join() === asked.join()} onClick={() => change({ status })}>{name}</button>
          ))}
        </div>
        <label class="check">
          <input type="checkbox" checked={mine} onChange={() => change({ owner: mine ? undefined : "me" })} /> {w.mine}
        </label>
        <span class="push" />
        <div class="segments" role="group" aria-label={w.view}>
          <button aria-pressed={!listed} onClick={() => change({ view: undefined })}><Columns3 size={16} class="icon" /> {w.board}</button>
          <button aria-pressed={listed} onClick={() => change({ view: "list" })}><List size={16} class="icon" /> {w.list}</button>
        </div>
        {may.change && (
          <button class="button primary" onClick={() => make(true)}>
            <Plus size={16} class="icon" /> {w.make}
          </button>
        )}
      </header>
      {board.isPending && <Skeleton lines={12} />}
      {board.error && all.length === 0 && <Failed error={board.error} again={() => void board.refetch()} />}
      {board.data && all.length === 0 && (
        <Empty title={narrow ? w.noneTitle : w.emptyTitle}>
          <p>{narrow ? w.noneText : may.change ? w.emptyText : w.emptyViewer}</p>
          {narrow ? (
            <button class="button" onClick={() => change({ q: undefined, status: undefined, owner: undefined })}>{words.files.clear}</button>
          ) : (
            may.change && <button class="button" onClick={() => make(true)}>{w.make}</button>
          )}
        </Empty>
      )}
      {all.length > 0 && !listed && (
        <div class="board" tabIndex={0} role="group" aria-label={w.board}>
          {columns.map(({ stage, matters }) => (
            <section
              key={stage}
              class={over === stage ? "column over" : "column"}
              aria-label={w.stage[stage]}
              onDragOver={(event) => {
                if (!may.change) return;
                event.preventDefault();
                drag(stage);
              }}
              onDragLeave={(event) => !event.currentTarget.contains(event.relatedTarget as Node | null) && drag("")}
              onDrop={(event) => {
                event.preventDefault();
                drag("");
                const matter = all.find(({ id }) => id === event.dataTransfer?.getData("text/plain"));
                if (matter) move(matter, stage);
              }}
            >
              <h2>
                {w.stage[stage]} <span class="quiet">{board.data?.pages[0]?.stages.find((one) => one.stage === stage)?.count ?? 0}</span>
              </h2>
              <ul>{matters.map((matter) => <Card key={matter.id} {...card(matter)} movable={may.change} />)}</ul>
            </section>
          ))}
        </div>
      )}
      {all.length > 0 && listed && (
        <div class="scroll" tabIndex={0} role="group" aria-label={w.list}>
          <table class="table">
            <thead>
              <tr>
                <th scope="col">{w.name}</th>
                <th scope="col">{w.stageLabel}</th>
                <th scope="col" class="wide">{w.statusLabel}</th>
                <th scope="col" class="wide">{w.owner}</th>
                <th scope="col">{w.due}</th>
                <th scope="col" class="number wide">{w.filesLabel}</th>
                <th scope="col" class="number wide">{w.work}</th>
                <th scope="col" class="wide">{w.changed}</th>
                {may.change && <th><span class="unseen">{words.more}</span></th>}
              </tr>
            </thead>
            <tbody>
              {all.map((matter) => {
                const { owner, focused, menu } = card(matter);
                return (
                  <tr key={matter.id}>
                    <th scope="row">
                      <a id={`matter-${matter.id}`} href={`/matters/${matter.id}`} onFocus={focused}>{matter.name}</a> {matter.access === "restricted" && <Restricted />}
                    </th>
                    <td>{w.stage[matter.stage]}</td>
                    <td class="wide">{w.status[matter.status]}</td>
                    <td class="wide">{owner}</td>
                    <td><Due matter={matter} /></td>
                    <td class="number wide">{matter.files.toLocaleString()}</td>
                    <td class="number wide">{matter.openAssignments.toLocaleString()}</td>
                    <td class="wide"><time dateTime={matter.updatedAt} title={at(matter.updatedAt)}>{ago(matter.updatedAt)}</time></td>
                    {may.change && <td class="number">{menu}</td>}
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
      {board.hasNextPage && (
        <p class="more">
          <button class="button" disabled={board.isFetchingNextPage} onClick={() => void board.fetchNextPage()}>{w.more(total - all.length)}</button>
        </p>
      )}
      <Make open={making} close={() => make(false)} made={(matter) => route(`/matters/${matter.id}`)} />
    </div>
  );
}

const remove = ({ id, name }: Matter): void => toTrash(name, () => api.deleteMatter({ path: { matterId: id } }), ["matters", "files", "team"]);

function Card({ matter, owner, focused, menu, movable }: { matter: BoardMatter; owner: string; focused: () => void; menu: preact.ComponentChildren; movable: boolean }) {
  return (
    <li class="card" draggable={movable} onDragStart={(event) => event.dataTransfer?.setData("text/plain", matter.id)}>
      <div class="card-name">
        <a id={`matter-${matter.id}`} href={`/matters/${matter.id}`} onFocus={focused} draggable={false} aria-keyshortcuts={movable ? "< >" : undefined}>{matter.name}</a>
        {menu}
      </div>
      {matter.counterparties.length > 0 && <p class="cut quiet">{matter.counterparties.join(" · ")}</p>}
      <p class="card-facts quiet">
        <Due matter={matter} />
        {matter.access === "restricted" && <Restricted />}
        {matter.status !== "open" && <span>{w.status[matter.status]}</span>}
        <span title={w.filesLabel}><FileText size={14} class="icon" /> <span class="unseen">{w.filesLabel} </span>{matter.files.toLocaleString()}</span>
        {matter.openAssignments > 0 && (
          <span class={matter.overdueAssignments > 0 ? "bad" : ""} title={w.workOf(matter.openAssignments, matter.overdueAssignments)}>
            <UserCheck size={14} class="icon" /> <span class="unseen">{w.work} </span>{matter.openAssignments.toLocaleString()}
          </span>
        )}
        {owner && <span class="cut" title={w.owner}>{owner}</span>}
      </p>
    </li>
  );
}

const Restricted = () => (
  <span class="quiet" title={w.restrictedText}><Lock size={14} class="icon" /> <span class="unseen">{w.access.restricted}</span></span>
);

/** When a matter is due, in words where it is late. */
export function Due({ matter }: { matter: { dueAt: string | null; overdue?: boolean } }) {
  if (matter.dueAt === null) return null;
  return (
    <span class={matter.overdue ? "bad" : ""} title={at(matter.dueAt)}>
      <CalendarClock size={14} class="icon" /> {matter.overdue && `${w.overdue} `}{ago(matter.dueAt)}
    </span>
  );
}

/** Who sees a matter, with what that means. */
export function Access({ access, restrict }: { access: Schemas["MatterAccess"]; restrict: (access: Schemas["MatterAccess"]) => void }) {
  return (
    <label>
      {w.accessLabel}
      <select value={access} onChange={(event) => restrict(event.currentTarget.value as Schemas["MatterAccess"])}>
        <option value="open">{w.access.open}</option>
        <option value="restricted">{w.access.restricted}</option>
      </select>
      <small class="quiet">{access === "open" ? w.openText : w.restrictedText}</small>
    </label>
  );
}

/** A form for a new matter. What is typed stays where the service is away. */
export function Make({ open, close, made }: { open: boolean; close: () => void; made: (matter: Matter) => void }) {
  const [name, rename] = useState("");
  const [due, set] = useState("");
  const [access, restrict] = useState<Schemas["MatterAccess"]>("open");
  const [busy, wait] = useState(false);
  const save = (event: Event): void => {
    event.preventDefault();
    if (busy) return;
    wait(true);
    void attempt(async () => {
      const matter = await api.createMatter({ body: { name: name.trim(), access, ...(due && { dueAt: due }) } });
      renew("matters");
      rename("");
      set("");
      restrict("open");
      close();
      made(matter);
    }).finally(() => wait(false));
  };
  return (
    <Dialog open={open} close={close} title={w.makeTitle}>
      <form class="form" onSubmit={save}>
        <label>{w.name}<input type="text" required maxLength={300} data-autofocus value={name} onInput={(event) => rename(event.currentTarget.value)} /></label>
        <label>{w.due}<input type="date" value={due} onInput={(event) => set(event.currentTarget.value)} /></label>
        <Access access={access} restrict={restrict} />
        <footer>
          <button class="button" type="button" onClick={close}>{words.cancel}</button>
          <button class="button primary" disabled={busy || name.trim() === ""}>{w.create}</button>
        </footer>
      </form>
    </Dialog>
  );
}
