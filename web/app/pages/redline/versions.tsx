import { Download, FileCode, FileDown, History, Upload } from "lucide-preact";
import { useRef } from "preact/hooks";
import { api, type Schemas } from "../../data/client.js";
import { useVersions } from "../../data/document.js";
import { renew } from "../../data/live.js";
import { useMay } from "../../data/people.js";
import { type Compared, comparison } from "../../data/redline.js";
import { Menu } from "../../parts/menu.js";
import { saveAs } from "../../parts/save.js";
import { attempt, say } from "../../parts/toasts.js";
import { words } from "../../words.js";

type File = Schemas["File"];

const restore = (file: File, n: number): void =>
  void attempt(async () => {
    await api.restoreFileVersion({ path: { fileId: file.id, n } });
    renew("file", "files");
    say(words.redline.restored(n));
  });

/** Uploads what somebody sent back as the next version, and goes back to one before. */
export function Versions({ file, uploaded }: { file: File; uploaded: (n: number) => void }) {
  const may = useMay();
  const versions = useVersions(file);
  const input = useRef<HTMLInputElement>(null);
  const send = (content: globalThis.File | undefined): void =>
    void attempt(async () => {
      if (!content) return;
      const { version } = await api.addFileVersion(file.id, { file: { name: content.name, content }, expectVersion: file.currentVersion });
      renew("file", "files");
      if (!version) return;
      say(words.redline.uploaded(version.n), () => restore(file, file.currentVersion));
      // The same bytes again are no version.
      if (version.n > file.currentVersion) uploaded(version.n);
    });
  if (!may.change) return null;
  const earlier = (versions.data ?? []).filter(({ current }) => !current);
  return (
    <>
      <button class="button" aria-label={words.redline.upload} title={words.redline.uploadHint} onClick={() => input.current?.click()}><Upload size={16} class="icon" /> <span class="wide-only">{words.redline.upload}</span></button>
      {earlier.length > 0 && (
        <Menu label={words.redline.versionsMenu} entries={earlier.map(({ n }) => ({ text: words.redline.restore(n), icon: History, act: () => restore(file, n) }))}>
          <History size={16} class="icon" /> <span class="wide-only">{words.redline.versionsMenu}</span>
        </Menu>
      )}
      <input ref={input} type="file" class="next-version" hidden aria-label={words.redline.upload} onChange={(event) => (send(event.currentTarget.files?.[0]), (event.currentTarget.value = ""))} />
    </>
  );
}

/** The document with its changes, or with those that were accepted, as Word or PDF. */
export function Downloads({ file, compared }: { file: File; compared: Compared | null }) {
  const save = (kind: "redline" | "revision", format: "docx" | "pdf" | "html"): void =>
    void attempt(async () => {
      const query = { format, wait: 60 };
      const response = kind === "redline" ? await api.downloadRedline(file.id, query) : await api.raw("getRevision", { path: { fileId: file.id }, query });
      saveAs(`${file.name.replace(/\.[^.]*$/, "")}.${kind}.${format}`, await response.blob());
    });
  const saveCompared = (): void =>
    void attempt(async () => {
      const { html } = await api.createChanges({ path: { fileId: file.id }, body: { ...comparison(compared!), html: true } });
      saveAs(`${file.name.replace(/\.[^.]*$/, "")}.compared.html`, new Blob([html ?? ""], { type: "text/html" }));
    });
  return (
    <Menu
      label={words.redline.download}
      entries={[
        ...(compared ? [{ text: words.redline.comparedHtml, icon: FileCode, act: saveCompared }, {}] : []),
        { text: words.redline.word, icon: Download, act: () => save("redline", "docx") },
        { text: words.redline.clean, icon: Download, act: () => save("revision", "docx") },
        { text: words.redline.html, icon: FileCode, act: () => save("redline", "html") },
        { text: words.redline.wordPdf, icon: FileDown, act: () => save("redline", "pdf") },
        { text: words.redline.cleanPdf, icon: FileDown, act: () => save("revision", "pdf") },
        { text: words.document.download, icon: Download, act: () => location.assign(`/api/files/${file.id}/download`) },
      ]}
    >
      <Download size={16} class="icon" /> <span class="wide-only">{words.redline.download}</span>
    </Menu>
  );
}
