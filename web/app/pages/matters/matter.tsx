import { Check, ChevronLeft, Ellipsis, FilePlus, Pencil, RotateCcw, Trash2, UserPlus, X } from "lucide-preact";
import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { api, type Schemas, status } from "../../data/client.js";
import { useTypes } from "../../data/files.js";
import { renew } from "../../data/live.js";
import { type Assignment, assignmentRoles, type Matter as MatterData, putBack, putFiles, stages, statuses, useAssignments, useMatter, useMatterFiles, useTimeline } from "../../data/matters.js";
import { nameOf, useMay, usePeople, useSession } from "../../data/people.js";
import { ago, at, named } from "../../format.js";
import { useKeys } from "../../keys.js";
import { Choose } from "../../parts/choose.js";
import { Conversations } from "../../parts/conversation.js";
import { Dialog } from "../../parts/dialog.js";
import { Menu } from "../../parts/menu.js";
import { Tick } from "../../parts/people.js";
import { Failed, Skeleton } from "../../parts/states.js";
import { attempt, say, useAttempt } from "../../parts/toasts.js";
import { useTitle } from "../../parts/title.js";
import { toTrash } from "../../parts/trash.js";
import { words } from "../../words.js";
import { Status } from "../inbox/row.js";
import { Access, Due } from "./matters.js";

const w = words.matters;

/** A matter: its files, who works on it until when, and what happened. */
export function Matter() {
  const { params } = useRoute();
  const id = params["matterId"] ?? "";
  const matter = useMatter(id);
  if (matter.data) return <Of key={id} matter={matter.data} />;
  return matter.error ? <Failed error={matter.error} again={() => void matter.refetch()} /> : <Skeleton lines={16} />;
}

type Change = Schemas["UpdateMatterRequest"];

function Of({ matter }: { matter: MatterData }) {
  const { route } = useLocation();
  const may = useMay();
  const tried = useAttempt();
  const [editing, edit] = useState(false);
  const path = { matterId: matter.id };
  useTitle(matter.name);
  const put = async (body: Change): Promise<void> => {
    await api.updateMatter({ path, body });
    renew("matters");
  };
  /** Changes something, and offers to change it back. */
  const change = (what: string, body: Change, before: Change): void =>
    void tried(async () => {
      await put(body);
      say(w.saved(what), () => void attempt(() => put(before)));
    });
  const remove = (): void => toTrash(matter.name, () => api.deleteMatter({ path }), ["matters", "files", "team"], () => route("/matters"));
  useKeys(may.change ? { e: () => edit(true), Escape: () => route("/matters") } : { Escape: () => route("/matters") });
  return (
    <div class="matter">
      <header class="page-head">
        <a class="bare" href="/matters" aria-label={w.title}>
          <ChevronLeft size={16} class="icon" />
        </a>
        <h1 class="cut" title={matter.name}>{matter.name}</h1>
        {may.change ? (
          <>
            <select aria-label={w.stageLabel} value={matter.stage} onChange={({ currentTarget: { value } }) => change(w.stageLabel, { stage: value as MatterData["stage"] }, { stage: matter.stage })}>
              {stages.map((stage) => <option key={stage} value={stage}>{w.stage[stage]}</option>)}
            </select>
            <select aria-label={w.statusLabel} value={matter.status} onChange={({ currentTarget: { value } }) => change(w.statusLabel, { status: value as MatterData["status"] }, { status: matter.status })}>
              {statuses.map((status) => <option key={status} value={status}>{w.status[status]}</option>)}
            </select>
          </>
        ) : (
          <>
            <span class="chip">{w.stage[matter.stage]}</span>
            <span class="chip">{w.status[matter.status]}</span>
          </>
        )}
        <span class="chip" title={matter.access === "open" ? w.openText : w.restrictedText}>{w.access[matter.access]}</span>
        <span class="push" />
        {may.change && (
          <Menu
            label={words.more}
            class="bare"
            entries={[{ text: w.edit, icon: Pencil, act: () => edit(true) }, {}, { text: w.remove, icon: Trash2, act: remove }]}
          >
            <Ellipsis size={16} class="icon" />
          </Menu>
        )}
      </header>
      <div class="matter-body" tabIndex={0} role="group" aria-label={matter.name}>
        <div class="matter-main">
          <Files matter={matter} />
          <Assignments matter={matter} />
          <section aria-labelledby="matter-chat">
            <header><h2 id="matter-chat">{words.chat.title}</h2></header>
            <Conversations about={{ matterId: matter.id }} name={matter.name} />
          </section>
        </div>
        <div class="matter-side">
          <About matter={matter} edit={() => edit(true)} />
          <Timeline matter={matter} />
        </div>
      </div>
      {editing && <Edit matter={matter} close={() => edit(false)} />}
    </div>
  );
}

function Files({ matter }: { matter: MatterData }) {
  const may = useMay();
  const files = useMatterFiles(matter.id);
  const types = useTypes();
  const [adding, add] = useState(false);
  const put = (file: { id: string; name: string; matterId: string | null }, to: string | null): void =>
    void attempt(async () => {
      const { changed, error } = await putFiles([file.id], to);
      if (error !== undefined) throw error;
      say(to === null ? w.fileRemoved(file.name) : w.added(changed.length, matter.name), () => void attempt(() => putBack(changed, to)));
    });
  return (
    <section aria-labelledby="matter-files">
      <header>
        <h2 id="matter-files">{w.filesLabel} {files.data && <span class="quiet">{files.data.length.toLocaleString()}</span>}</h2>
        {may.change && (
          <button class="button" onClick={() => add(true)}>
            <FilePlus size={16} class="icon" /> {w.addFile}
          </button>
        )}
      </header>
      {files.error && !files.data && <Failed error={files.error} again={() => void files.refetch()} />}
      {files.isPending && <Skeleton lines={3} />}
      {files.data?.length === 0 && <p class="quiet">{may.change ? w.filesNone : w.filesNoneViewer}</p>}
      {files.data && files.data.length > 0 && (
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{words.files.columns.name}</th>
              <th scope="col">{words.files.columns.status}</th>
              <th scope="col" class="wide">{words.files.columns.type}</th>
              <th scope="col" class="wide">{w.stageLabel}</th>
              {may.change && <th><span class="unseen">{words.more}</span></th>}
            </tr>
          </thead>
          <tbody>
            {files.data.map((file) => (
              <tr key={file.id}>
                <th scope="row"><a href={`/files/${file.id}`}>{file.name}</a></th>
                <td><Status file={file} /></td>
                <td class="wide">{types.data?.get(file.documentTypeId ?? "")}</td>
                <td class="wide">{words.lifecycle[file.lifecycleStage]}</td>
                {may.change && (
                  <td class="number">
                    <button class="bare" aria-label={`${w.takeOut}: ${file.name}`} title={w.takeOut} onClick={() => put(file, null)}>
                      <X size={16} class="icon" />
                    </button>
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Dialog open={adding} close={() => add(false)} title={w.addFile} class="go-box" bare>
        <Pick
          without={matter.id}
          choose={(file) => {
            add(false);
            put(file, matter.id);
          }}
        />
      </Dialog>
    </section>
  );
}

/** A list of files to choose one of, by name. */
function Pick({ without, choose }: { without: string; choose: (file: Schemas["File"]) => void }) {
  const [typed, type] = useState("");
  const files = useQuery({
    queryKey: ["files", "pick", typed],
    queryFn: ({ signal }) => api.listFiles({ query: { limit: 20, ...(typed !== "" && { q: typed }) }, signal }),
    placeholderData: keepPreviousData,
  });
  const found = useMemo(() => files.data?.items.filter((file) => file.matterId !== without) ?? [], [files.data, without]);
  const choices = useMemo(() => found.map((file) => ({ value: file.id, text: file.name, ...(file.matterId && { note: w.elsewhere }) })), [found]);
  return (
    <Choose
      label={w.whichFile}
      choices={choices}
      typed={typed}
      type={type}
      choose={(id) => {
        const file = found.find((one) => one.id === id);
        if (file) choose(file);
      }}
      none={files.isPending ? words.loading : words.go.none}
    />
  );
}

function Assignments({ matter }: { matter: MatterData }) {
  const may = useMay();
  const me = useSession()?.user.id;
  const assignments = useAssignments(matter.id);
  const [asking, ask] = useState(false);
  const put = async (one: Assignment, status: Assignment["status"]): Promise<void> => {
    await api.updateMatterAssignment({ path: { matterId: matter.id, assignmentId: one.id }, body: { status } });
    renew("matters");
  };
  const end = (one: Assignment, status: Assignment["status"]): void =>
    void attempt(async () => {
      await put(one, status);
      say(w.assignment[status](one.userName || one.userEmail), () => void attempt(() => put(one, one.status)));
    });
  return (
    <section aria-labelledby="matter-work">
      <header>
        <h2 id="matter-work">{w.work}</h2>
        {may.change && !asking && (
          <button class="button" onClick={() => ask(true)}>
            <UserPlus size={16} class="icon" /> {w.assign}
          </button>
        )}
      </header>
      {asking && <Assign matter={matter} close={() => ask(false)} />}
      {assignments.error && !assignments.data && <Failed error={assignments.error} again={() => void assignments.refetch()} />}
      {assignments.isPending && <Skeleton lines={2} />}
      {assignments.data?.length === 0 && !asking && <p class="quiet">{w.workNone}</p>}
      <ul class="assignments">
        {assignments.data?.map((one) => {
          const own = may.manage || one.userId === me || one.createdBy === me;
          const overdue = one.status === "open" && one.dueAt !== null && Date.parse(one.dueAt) < Date.now();
          return (
            <li key={one.id} class={one.status}>
              <div>
                <strong>{one.userName || one.userEmail}</strong> <span class="chip">{w.role[one.role]}</span>{" "}
                {one.status === "open" ? <Due matter={{ dueAt: one.dueAt, overdue }} /> : <span class="quiet">{w.ending[one.status]} {ago(one.doneAt ?? one.declinedAt ?? one.updatedAt)}</span>}
                {one.note && <p class="quiet note-text">{one.note}</p>}
              </div>
              {own && (
                <span class="buttons">
                  {one.status === "open" ? (
                    <>
                      <button class="button" onClick={() => end(one, "done")}><Check size={16} class="icon" /> {w.done}</button>
                      <button class="button" onClick={() => end(one, "declined")}>{w.decline}</button>
                    </>
                  ) : (
                    <button class="button" onClick={() => end(one, "open")}><RotateCcw size={16} class="icon" /> {w.reopen}</button>
                  )}
                </span>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Assign({ matter, close }: { matter: MatterData; close: () => void }) {
  const people = usePeople();
  const [userId, choose] = useState("");
  const [role, be] = useState<Assignment["role"]>("reviewer");
  const [due, set] = useState("");
  const [note, write] = useState("");
  const first = useRef<HTMLSelectElement>(null);
  useEffect(() => first.current?.focus(), []);
  const escape = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    event.preventDefault(); // the form is left, and not the page
    close();
  };
  const save = (event: Event): void => {
    event.preventDefault();
    void attempt(async () => {
      await api.createMatterAssignment({ path: { matterId: matter.id }, body: { role, ...(userId && { userId }), ...(due && { dueAt: due }), ...(note && { note }) } });
      renew("matters");
      close();
    });
  };
  return (
    <form class="form inline" onSubmit={save} onKeyDown={escape}>
      <label>
        {w.person}
        <select required value={userId} onChange={(event) => choose(event.currentTarget.value)} ref={first}>
          <option value="">{w.choosePerson}</option>
          {people.data?.map((one) => <option key={one.id} value={one.id}>{nameOf(one)}</option>)}
        </select>
      </label>
      <label>
        {w.roleLabel}
        <select value={role} onChange={(event) => be(event.currentTarget.value as Assignment["role"])}>
          {assignmentRoles.map((one) => <option key={one} value={one}>{w.role[one]}</option>)}
        </select>
      </label>
      <label>{w.due}<input type="date" value={due} onInput={(event) => set(event.currentTarget.value)} /></label>
      <label class="long">{w.note}<input type="text" maxLength={5000} value={note} onInput={(event) => write(event.currentTarget.value)} /></label>
      <footer>
        <button class="button" type="button" onClick={close}>{words.cancel}</button>
        <button class="button primary">{w.assign}</button>
      </footer>
    </form>
  );
}

function About({ matter, edit }: { matter: MatterData; edit: () => void }) {
  const may = useMay();
  const people = usePeople();
  const nameBy = (id: string): string => {
    const person = people.data?.find((one) => one.id === id);
    return person ? nameOf(person) : w.notPerson;
  };
  const overdue = matter.dueAt !== null && matter.status !== "closed" && matter.status !== "cancelled" && Date.parse(matter.dueAt) < Date.now();
  return (
    <section aria-labelledby="matter-about">
      <header>
        <h2 id="matter-about">{w.about}</h2>
        {may.change && (
          <button class="bare" aria-label={w.edit} title={w.edit} onClick={edit}>
            <Pencil size={16} class="icon" />
          </button>
        )}
      </header>
      {matter.description && <p class="note-text">{matter.description}</p>}
      <dl class="facts-short">
        <div><dt>{w.owner}</dt><dd>{matter.ownerId ? nameBy(matter.ownerId) : w.nobody}</dd></div>
        <div><dt>{w.due}</dt><dd>{matter.dueAt ? <Due matter={{ dueAt: matter.dueAt, overdue }} /> : w.noDue}</dd></div>
        <div><dt>{w.people}</dt><dd>{matter.access === "open" ? w.everybody : matter.peopleIds.map(nameBy).join(" · ")}</dd></div>
        {matter.parties.length > 0 && <div><dt>{words.files.columns.parties}</dt><dd>{matter.parties.map(({ name }) => name).join(" · ")}</dd></div>}
        {matter.counterparties.length > 0 && <div><dt>{w.counterparties}</dt><dd>{matter.counterparties.join(" · ")}</dd></div>}
      </dl>
    </section>
  );
}

/** What happened in the matter, newest first. */
function Timeline({ matter }: { matter: MatterData }) {
  const timeline = useTimeline(matter.id);
  const all = timeline.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <section aria-labelledby="matter-timeline">
      <header><h2 id="matter-timeline">{w.timeline}</h2></header>
      {timeline.error && !timeline.data && <Failed error={timeline.error} again={() => void timeline.refetch()} />}
      {timeline.isPending && <Skeleton lines={4} />}
      <ol class="timeline">
        {all.map((event) => (
          <li key={event.id}>
            <span>
              <strong>{event.actor.name ?? w.actor[event.actor.kind]}</strong> {w.actions[event.action] ?? named(event.action.replaceAll(".", " "))}
              {event.fileName && <> <a href={`/files/${event.fileId}`}>{event.fileName}</a></>}
              {changes(event.data) && <span class="quiet"> {changes(event.data)}</span>}
            </span>
            <time class="quiet" dateTime={event.createdAt} title={at(event.createdAt)}>{ago(event.createdAt)}</time>
          </li>
        ))}
      </ol>
      {timeline.hasNextPage && <button class="button" disabled={timeline.isFetchingNextPage} onClick={() => void timeline.fetchNextPage()}>{w.earlier}</button>}
    </section>
  );
}

/** What an event says was changed: from one stage to another, or the names of the fields. */
function changes(data: Record<string, unknown>): string {
  const stage = data["stage"];
  if (Array.isArray(stage)) return w.fromTo(w.stage[stage[0] as MatterData["stage"]] ?? String(stage[0]), w.stage[stage[1] as MatterData["stage"]] ?? String(stage[1]));
  const status = data["status"];
  if (Array.isArray(status)) return w.fromTo(w.status[status[0] as MatterData["status"]] ?? String(status[0]), w.status[status[1] as MatterData["status"]] ?? String(status[1]));
  const fields = data["fields"];
  return Array.isArray(fields) && fields.length > 0 ? `(${fields.map((field) => w.fields[String(field)] ?? named(String(field))).join(", ")})` : "";
}

/** What people set of a matter, as the fields of the form have it. */
const formOf = ({ name, description, ownerId, dueAt, access, peopleIds, counterparties }: MatterData) => ({
  name,
  description,
  ownerId: ownerId ?? "",
  due: dueAt?.slice(0, 10) ?? "",
  access,
  people: [...peopleIds].sort().join(),
  counterparties: counterparties.join("\n"),
});
type Typed = ReturnType<typeof formOf>;

/** All that people set of a matter. A change of somebody else meanwhile is told, and not overwritten unless it is saved again. */
function Edit({ matter, close }: { matter: MatterData; close: () => void }) {
  const people = usePeople();
  const [based, rebase] = useState(matter);
  const [meanwhile, tell] = useState(false);
  const [typed, type] = useState(() => formOf(matter));
  const put = (parts: Partial<Typed>): void => type((now) => ({ ...now, ...parts }));
  const changed = (name: keyof Typed): boolean => typed[name].trim() !== formOf(based)[name].trim();
  const save = (event: Event): void => {
    event.preventDefault();
    const { name, description, ownerId, due, access } = typed;
    const body: Change = {
      ...(changed("name") && { name: name.trim() }),
      ...(changed("description") && { description }),
      ...(changed("ownerId") && { ownerId }),
      ...(changed("due") && { dueAt: due || null }),
      ...(changed("access") && { access }),
      ...(access === "restricted" && { peopleIds: typed.people.split(",").filter(Boolean) }),
      ...(changed("counterparties") && { counterparties: typed.counterparties.split("\n").map((one) => one.trim()).filter(Boolean) }),
    };
    void attempt(async () => {
      try {
        await api.updateMatter({ path: { matterId: matter.id }, header: { "If-Match": `"${based.version}"` }, body });
      } catch (error) {
        if (status(error) !== 409) throw error;
        // What was not touched here is as they left it; what was typed stays, to be saved over theirs or not.
        const newest = await api.getMatter({ path: { matterId: matter.id } });
        const theirs = formOf(newest);
        put(Object.fromEntries(Object.entries(theirs).filter(([name]) => !changed(name as keyof Typed))));
        rebase(newest);
        tell(true);
        return;
      }
      renew("matters");
      close();
      say(w.saved(name.trim()));
    });
  };
  const listed = typed.people.split(",").filter(Boolean);
  return (
    <Dialog open close={close} title={w.edit}>
      <form class="form" onSubmit={save}>
        {meanwhile && <p class="note" role="alert">{w.meanwhile}</p>}
        <label>{w.name}<input type="text" required maxLength={300} data-autofocus value={typed.name} onInput={(event) => put({ name: event.currentTarget.value })} /></label>
        <label>{w.description}<textarea rows={3} maxLength={20000} value={typed.description} onInput={(event) => put({ description: event.currentTarget.value })} /></label>
        <label>
          {w.owner}
          <select value={typed.ownerId} onChange={(event) => put({ ownerId: event.currentTarget.value })}>
            <option value="">{w.nobody}</option>
            {people.data?.map((one) => <option key={one.id} value={one.id}>{nameOf(one)}</option>)}
          </select>
        </label>
        <label>{w.due}<input type="date" value={typed.due} onInput={(event) => put({ due: event.currentTarget.value })} /></label>
        <label>{w.counterparties}<textarea rows={2} value={typed.counterparties} onInput={(event) => put({ counterparties: event.currentTarget.value })} /></label>
        <Access access={typed.access} restrict={(access) => put({ access })} />
        {typed.access === "restricted" && <Tick legend={w.people} people={people.data} ticked={listed} tick={(ids) => put({ people: ids.sort().join() })} />}
        <footer>
          <button class="button" type="button" onClick={close}>{words.cancel}</button>
          <button class="button primary">{words.document.save}</button>
        </footer>
      </form>
    </Dialog>
  );
}
