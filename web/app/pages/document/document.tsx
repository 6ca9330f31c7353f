import { Briefcase, ChevronLeft, Download, Ellipsis, FileDown, Pencil, Printer, RotateCw, Trash2 } from "lucide-preact";
import { flushSync } from "preact/compat";
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { useQueryOf } from "../../address.js";
import { api, type Schemas } from "../../data/client.js";
import { useDifferences } from "../../data/differences.js";
import { layOut, readSpan, type Span, touches, useClauses, useFacts, written } from "../../data/document.js";
import { paged, printable, useFile } from "../../data/files.js";
import { renew } from "../../data/live.js";
import { useMay } from "../../data/people.js";
import type { Mark } from "../../data/marks.js";
import { sentence } from "../../format.js";
import { useKeys } from "../../keys.js";
import { Menu } from "../../parts/menu.js";
import { Failed, Skeleton } from "../../parts/states.js";
import { attempt, say } from "../../parts/toasts.js";
import { useTitle } from "../../parts/title.js";
import { toTrash } from "../../parts/trash.js";
import { words } from "../../words.js";
import { Status } from "../inbox/row.js";
import { PutIntoMatter } from "../matters/put.js";
import { Blocks } from "./blocks.js";
import { MarkSelection } from "./mark.js";
import { Pages } from "./pages.js";
import { Panel, tabs } from "./panel.js";
import { Flowing, Printed, useFlowing } from "./printed.js";
import { Rename } from "./rename.js";
import { Report } from "./report.js";
import { Standing } from "./standing.js";

/** A file: its pages as they look, and beside them what was found in it. */
export function Document() {
  const { params } = useRoute();
  const file = useFile(params["fileId"] ?? "");
  if (file.data) return <Of key={file.data.id} file={file.data} />;
  return file.error ? <Failed error={file.error} again={() => void file.refetch()} /> : <Skeleton lines={16} />;
}

function Of({ file }: { file: Schemas["File"] }) {
  const { route } = useLocation();
  const [query, change] = useQueryOf();
  const may = useMay();
  const facts = useFacts(file);
  const clauses = useClauses(file);
  const [marked, mark] = useState(true);
  const [putting, put] = useState(false);
  const [renaming, rename] = useState(false);
  const [fields, tellFields] = useState(false);
  const filled = useCallback(() => tellFields(true), []);
  const number = /^[1-9]\d*$/.exec(query.get("since") ?? "");
  const since = number && paged(file) && Number(number[0]) < file.currentVersion ? Number(number[0]) : null;
  const differences = useDifferences(file, since);
  const [shownAs, show] = useFlowing();
  const printed = printable(file) && file.textReady && shownAs === "pages";
  const drawn = paged(file) || printed;
  const at = query.get("at");
  const picked = useMemo(() => readSpan(at), [at]);
  // The same place may be picked again, after scrolling away from it.
  const [asked, ask] = useState(0);
  const pick = (span: Span): void => {
    ask((n) => n + 1);
    change({ at: written(span) });
  };
  useTitle(file.name);
  // The browser prints what is there when it is told to: by its own menu what is loaded, by ours everything.
  const [printing, print] = useState<"" | "asked" | "now">("");
  useEffect(() => {
    const before = (): void => flushSync(() => print((now) => now || "now"));
    const after = (): void => print("");
    addEventListener("beforeprint", before);
    addEventListener("afterprint", after);
    return () => (removeEventListener("beforeprint", before), removeEventListener("afterprint", after));
  }, []);
  useKeys(Object.fromEntries(tabs.map((tab, i) => [String(i + 1), () => change({ tab })])));

  const marks = useMemo<Mark[]>(() => {
    const all: Mark[] = [];
    if (marked) {
      for (const { span, label } of clauses.data ?? []) if (label !== null) all.push({ kind: "clause", span });
      for (const { spans } of facts.data ?? []) if (spans[0]) all.push({ kind: "fact", span: spans[0] });
    }
    for (const span of differences.data?.spans ?? []) all.push({ kind: "changed", span });
    if (picked) all.push({ kind: "picked", span: picked });
    return all;
  }, [marked, picked, clauses.data, facts.data, differences.data]);
  // Whoever points at words is shown the smallest thing that is known of them.
  const point = (word: Span): void => {
    const near = [...(facts.data ?? []).flatMap(({ spans }) => spans.slice(0, 1)), ...(clauses.data ?? []).map(({ span }) => span)].filter((span) => touches(span, word));
    const [smallest] = near.sort((a, b) => a.end - a.start - (b.end - b.start));
    change({ at: written(smallest ?? word) });
  };

  const remove = (): void => toTrash(file.name, () => api.deleteFile({ path: { fileId: file.id } }), ["files", "team"], () => route("/"));
  const readAgain = (): void =>
    void attempt(async () => {
      await api.reprocessFile({ path: { fileId: file.id } });
      say(words.files.queued(1));
      renew("file", "files", "team");
    });
  const asPdf = (): void =>
    void attempt(async () => {
      await layOut(file);
      location.assign(`/api/files/${file.id}/print`);
    });
  const shown = { file, marks, filled: marked ? filled : undefined, picked, asked, point };
  return (
    <div class="document">
      <header class="page-head">
        <a class="bare" href="/" aria-label={words.document.back}>
          <ChevronLeft size={16} class="icon" />
        </a>
        <h1 class="cut" title={file.name}>{file.name}</h1>
        <Status file={file} />
        <Standing file={file} since={since} compare={(n) => change({ since: String(n) })} />
        <span class="push" />
        {printable(file) && file.textReady && <Flowing as={shownAs} choose={show} />}
        {marked && drawn && (
          <ul class="legend" aria-label={words.document.legend}>
            <li><i class="swatch fact" /> {words.document.tabs.facts}</li>
            <li><i class="swatch clause" /> {words.document.tabs.clauses}</li>
            {fields && <li><i class="swatch field" /> {words.document.filledIn}</li>}
            {since !== null && <li><i class="swatch changed" /> {words.document.changed}</li>}
            <li><i class="swatch picked" /> {words.document.chosen}</li>
          </ul>
        )}
        {drawn && (
          <label class="check">
            <input type="checkbox" checked={marked} onChange={(event) => mark(event.currentTarget.checked)} /> {words.document.marks}
          </label>
        )}
        <a class="button" href={`/files/${file.id}/redline`}>{words.redline.open}</a>
        <Menu
          label={words.more}
          class="bare"
          entries={[
            { text: words.document.download, icon: Download, act: () => location.assign(`/api/files/${file.id}/download`) },
            printable(file)
              ? { text: words.document.asPdf, icon: FileDown, disabled: !file.textReady, act: asPdf }
              : { text: words.document.downloadPdf, icon: FileDown, disabled: !paged(file), act: () => location.assign(`/api/files/${file.id}/ocr-download?format=pdf`) },
            { text: words.document.print, icon: Printer, disabled: !file.textReady, act: () => print("asked") },
            ...(may.change ? [{ text: words.document.rename, icon: Pencil, act: () => rename(true) }, { text: words.matters.put, icon: Briefcase, act: () => put(true) }, { text: words.files.readAgain, icon: RotateCw, act: readAgain }, {}, { text: words.files.remove, icon: Trash2, act: remove }] : []),
          ]}
        >
          <Ellipsis size={16} class="icon" />
        </Menu>
      </header>
      {file.error && (
        <div class="note bad" role="alert">
          <strong>{words.document.failed}: {file.error.message}.</strong> {file.error.code !== "password_protected" && sentence(file.error.hint)}
          {may.change && file.error.code === "password_protected" && <Unlock file={file} />}
        </div>
      )}
      {!file.textReady && !file.error && <p class="note" role="status">{words.document.notReady}</p>}
      {since !== null && <Since file={file} since={since} picked={picked} pick={pick} end={() => change({ since: undefined })} />}
      <div class="document-body">
        {paged(file) && <Pages {...shown} />}
        {printed && <Printed {...shown} />}
        {!drawn && <Blocks file={file} picked={picked} asked={asked} />}
        <Panel file={file} tab={query.get("tab") ?? ""} choose={(tab) => change({ tab })} picked={picked} pick={pick} />
      </div>
      <MarkSelection file={file} />
      {putting && <PutIntoMatter ids={[file.id]} close={() => put(false)} />}
      {renaming && <Rename file={file} close={() => rename(false)} />}
      {printing && <Report file={file} ready={printing === "asked" ? window.print : undefined} />}
    </div>
  );
}

/** What an earlier version has not: each place, one after the other, and the same as a redline. */
function Since({ file, since, picked, pick, end }: { file: Schemas["File"]; since: number; picked: Span | null; pick: (span: Span) => void; end: () => void }) {
  const { data, error, refetch } = useDifferences(file, since);
  if (error && !data) return <Failed error={error} again={() => void refetch()} />;
  const spans = data?.spans ?? [];
  const to = (span: Span | undefined): void => {
    if (span) pick(span);
  };
  return (
    <p class="note against" role="status">
      <strong>{data ? words.document.changedSince(since, spans.length, data.gone) : words.loading}</strong>
      {spans.length > 0 && (
        <>
          <button class="link" onClick={() => to(spans.findLast(({ start }) => start < (picked?.start ?? 0)) ?? spans.at(-1))}>{words.document.changeBefore}</button>
          <button class="link" onClick={() => to(spans.find(({ start }) => start > (picked?.start ?? -1)) ?? spans[0])}>{words.document.changeAfter}</button>
        </>
      )}
      <a href={`/files/${file.id}/redline?${new URLSearchParams({ with: file.id, base: String(since), version: String(file.currentVersion) })}`}>{words.document.asRedline}</a>
      <button class="link" onClick={end}>{words.close}</button>
    </p>
  );
}

/** A field for the password of a file that needs one. The service keeps what it opens, and not the password. */
function Unlock({ file }: { file: Schemas["File"] }) {
  const [password, type] = useState("");
  const open = (event: Event): void => {
    event.preventDefault();
    void attempt(async () => {
      await api.unlockFile({ path: { fileId: file.id }, body: { password } });
      renew("file", "files", "team");
      say(words.document.unlocked);
    });
  };
  return (
    <form class="unlock" onSubmit={open}>
      <input type="password" required maxLength={255} autocomplete="off" aria-label={words.document.password} placeholder={words.document.password} value={password} onInput={(event) => type(event.currentTarget.value)} />
      <button class="button">{words.document.unlock}</button>
    </form>
  );
}
