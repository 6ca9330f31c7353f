import { Briefcase, ChevronDown, History } from "lucide-preact";
import { useMemo, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { api, type Schemas } from "../../data/client.js";
import { useVersions } from "../../data/document.js";
import { paged, useTypes } from "../../data/files.js";
import { renew } from "../../data/live.js";
import { useMatter } from "../../data/matters.js";
import { useMay } from "../../data/people.js";
import { Choose } from "../../parts/choose.js";
import { Dialog } from "../../parts/dialog.js";
import { type Entry, Menu } from "../../parts/menu.js";
import { attempt, say } from "../../parts/toasts.js";
import { words } from "../../words.js";

type File = Schemas["File"];
type Stage = Schemas["LifecycleStage"];

const stages = Object.keys(words.lifecycle) as Stage[]; // in their order

// A contract expires or is terminated: neither comes after the other.
const rank = (stage: Stage): number => stages.indexOf(stage) - (stage === "terminated" || stage === "archived" ? 1 : 0);

/** What a file is, how far its contract has come, its version, and which matter it is of: each leads there, or is changed here. */
export function Standing({ file, since, compare }: { file: File; since: number | null; compare: (n: number) => void }) {
  const may = useMay();
  const types = useTypes();
  const type = types.data?.get(file.documentTypeId ?? "");
  const [choosing, choose] = useState(false);
  const stage = words.lifecycle[file.lifecycleStage];
  return (
    <>
      {may.change ? (
        <button class="chip" aria-label={`${words.document.type}: ${type ?? words.document.typeNone}`} onClick={() => choose(true)}>{type ?? words.document.typeNone} <ChevronDown size={12} class="icon" /></button>
      ) : (
        type && <span class="chip">{type}</span>
      )}
      {may.change ? (
        <Menu label={`${words.document.stage}: ${stage}`} class="chip" entries={stages.map((one) => ({ text: words.lifecycle[one], checked: one === file.lifecycleStage, disabled: !mayBecome(file.lifecycleStage, one, may.manage), act: () => move(file, one) }))}>
          {stage} <ChevronDown size={12} class="icon" />
        </Menu>
      ) : (
        <span class="chip">{stage}</span>
      )}
      {file.currentVersion > 1 && <Version file={file} since={since} compare={compare} />}
      {file.matterId && <OfMatter matterId={file.matterId} />}
      <Dialog open={choosing} close={() => choose(false)} title={words.document.typeWhich} class="go-box" bare>
        <Types file={file} types={types.data ?? new Map()} close={() => choose(false)} />
      </Dialog>
    </>
  );
}

/** As the service has it: forward, back by one, into the archive from anywhere, and out of it by admins. */
function mayBecome(from: Stage, to: Stage, admin: boolean): boolean {
  if (from === "archived" && !admin) return false;
  return to === from || rank(to) > rank(from) || rank(to) === rank(from) - 1 || from === "archived";
}

const move = (file: File, stage: Stage): void =>
  void attempt(async () => {
    const path = { fileId: file.id };
    if (stage === file.lifecycleStage) return;
    await api.setLifecycleStage({ path, body: { stage } });
    renew("file", "files", "matters");
    say(words.document.staged(words.lifecycle[stage]), () => void attempt(async () => (await api.withdrawLifecycleStage({ path }), renew("file", "files", "matters"))));
  });

/** A list of types to choose one from, and to give the choice back to the service. */
function Types({ file, types, close }: { file: File; types: Map<string, string>; close: () => void }) {
  const [typed, type] = useState("");
  const chosen = file.documentTypeSource === "assigned";
  const choices = useMemo(
    () => [...(chosen ? [{ value: "", text: words.document.typeRead }] : []), ...[...types].map(([value, text]) => ({ value, text }))].filter(({ text }) => text.toLowerCase().includes(typed.trim().toLowerCase())),
    [types, typed, chosen],
  );
  const set = async (documentTypeId: string): Promise<void> => {
    await api.updateFile({ path: { fileId: file.id }, body: { documentTypeId } });
    renew("file", "files", "team");
  };
  const take = (value: string): void => {
    close();
    void attempt(async () => {
      await set(value);
      say(words.document.saved(types.get(value) ?? words.document.type), () => void attempt(() => set(chosen ? (file.documentTypeId ?? "") : "")));
    });
  };
  return <Choose label={words.document.typeWhich} choices={choices} typed={typed} type={type} choose={take} none={words.go.none} />;
}

/** The version that is read, and those before it, each to see what changed since. */
function Version({ file, since, compare }: { file: File; since: number | null; compare: (n: number) => void }) {
  const { route } = useLocation();
  const { data } = useVersions(file);
  const earlier = (data ?? []).filter(({ current }) => !current);
  const marked = paged(file) && file.textReady;
  const entries: Entry[] = [
    ...(marked ? earlier.map(({ n }) => ({ text: words.document.since(n), checked: n === since, act: () => compare(n) })) : []),
    ...(marked && earlier.length > 0 ? [{}] : []),
    { text: words.document.nextVersion, icon: History, act: () => route(`/files/${file.id}/redline`) },
  ];
  return (
    <Menu label={words.document.versionsMenu(file.currentVersion)} class="chip" entries={entries}>
      {words.document.version(file.currentVersion)} <ChevronDown size={12} class="icon" />
    </Menu>
  );
}

function OfMatter({ matterId }: { matterId: string }) {
  const { data } = useMatter(matterId);
  return data ? <a class="chip cut" href={`/matters/${matterId}`} title={data.name}><Briefcase size={12} class="icon" /> {data.name}</a> : null;
}
