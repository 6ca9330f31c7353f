import { Download, FileDown, History, Upload } from "lucide-preact";
import { useRef } from "preact/hooks";
import { api, type Schemas } from "../../data/client.js";
import { useVersions } from "../../data/document.js";
import { renew } from "../../data/live.js";
import { useMay } from "../../data/people.js";
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
export function Versions({ file }: { file: File }) {
  const may = useMay();
  const versions = useVersions(file);
  const input = useRef<HTMLInputElement>(null);
  const send = (content: globalThis.File | undefined): void =>
    void attempt(async () => {
      if (!content) return;
      const { version } = await api.addFileVersion(file.id, { file: { name: content.name, content }, expectVersion: file.currentVersion });
      renew("file", "files");
      if (version) say(words.redline.uploaded(version.n), () => restore(file, file.currentVersion));
    });
  if (!may.change) return null;
  return (
    <>
      <Menu
        label={words.redline.versionsMenu}
        entries={[
          { text: words.redline.upload, icon: Upload, act: () => input.current?.click() },
          ...(versions.data ?? []).filter(({ current }) => !current).map(({ n }) => ({ text: words.redline.restore(n), icon: History, act: () => restore(file, n) })),
        ]}
      >
        <History size={16} class="icon" /> <span class="wide-only">{words.redline.versionsMenu}</span>
      </Menu>
      <input ref={input} type="file" class="next-version" hidden aria-label={words.redline.upload} onChange={(event) => (send(event.currentTarget.files?.[0]), (event.currentTarget.value = ""))} />
    </>
  );
}

/** The document with its changes, or with those that were accepted, as Word or PDF. */
export function Downloads({ file }: { file: File }) {
  const save = (kind: "redline" | "revision", format: "docx" | "pdf"): void =>
    void attempt(async () => {
      const query = { format, wait: 60 };
      const response = kind === "redline" ? await api.downloadRedline(file.id, query) : await api.raw("getRevision", { path: { fileId: file.id }, query });
      saveAs(`${file.name.replace(/\.[^.]*$/, "")}.${kind}.${format}`, await response.blob());
    });
  return (
    <Menu
      label={words.redline.download}
      entries={[
        { text: words.redline.word, icon: Download, act: () => save("redline", "docx") },
        { text: words.redline.clean, icon: Download, act: () => save("revision", "docx") },
        { text: words.redline.wordPdf, icon: FileDown, act: () => save("redline", "pdf") },
        { text: words.redline.cleanPdf, icon: FileDown, act: () => save("revision", "pdf") },
        { text: words.document.download, icon: Download, act: () => location.assign(`/api/files/${file.id}/download`) },
      ]}
    >
      <Download size={16} class="icon" /> <span class="wide-only">{words.redline.download}</span>
    </Menu>
  );
}
