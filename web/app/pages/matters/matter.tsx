import { ChevronLeft, Ellipsis, Pencil, Trash2 } from "lucide-preact";
import { useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { api, type Schemas } from "../../data/client.js";
import { renew } from "../../data/live.js";
import { type Matter as MatterData, stages, statuses, useMatter } from "../../data/matters.js";
import { useMay } from "../../data/people.js";
import { useKeys } from "../../keys.js";
import { Conversations } from "../../parts/conversation.js";
import { Menu } from "../../parts/menu.js";
import { Failed, Skeleton } from "../../parts/states.js";
import { attempt, say, useAttempt } from "../../parts/toasts.js";
import { useTitle } from "../../parts/title.js";
import { toTrash } from "../../parts/trash.js";
import { words } from "../../words.js";
import { About } from "./about.js";
import { Edit } from "./edit.js";
import { Files } from "./files.js";
import { Timeline } from "./timeline.js";
import { Assignments } from "./work.js";

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
