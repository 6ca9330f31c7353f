import { useQuery } from "@tanstack/preact-query";
import { useMemo, useState } from "preact/hooks";
import { api, type Schemas } from "../../data/client.js";
import { useVersions } from "../../data/document.js";
import { useFile } from "../../data/files.js";
import { renew } from "../../data/live.js";
import { useMay } from "../../data/people.js";
import type { Compared } from "../../data/redline.js";
import { Choose } from "../../parts/choose.js";
import { Dialog } from "../../parts/dialog.js";
import { attempt, say } from "../../parts/toasts.js";
import { words } from "../../words.js";
import { withdraw } from "./propose.js";

type File = Schemas["File"];

/** What the document is compared with, and what can be done about it. */
export function Against({ file, compared, end }: { file: File; compared: Compared; end: () => void }) {
  const may = useMay();
  const other = useFile(compared.fileId);
  const name = compared.fileId === file.id ? words.document.version(compared.version ?? file.currentVersion) : (other.data?.name ?? "…");
  const own = compared.base === undefined || compared.base === file.currentVersion;
  const propose = (): void =>
    void attempt(async () => {
      const { items } = await api.createChanges({ path: { fileId: file.id }, body: { compareTo: compared.fileId, ...(compared.version !== undefined && { compareToVersion: compared.version }) } });
      end();
      renew("file");
      say(words.redline.changes(items.length), () => void attempt(() => withdraw(file.id, items.map(({ id }) => id))));
    });
  return (
    <p class="note against" role="status">
      <strong>{words.redline.comparing(name)}</strong>
      {own && may.change && <button class="link" onClick={propose}>{words.redline.proposeThese}</button>}
      <button class="link" onClick={end}>{words.redline.compareEnd}</button>
    </p>
  );
}

/** A list of versions and files to compare the document with. */
export function CompareWith({ file, open, close, choose }: { file: File; open: boolean; close: () => void; choose: (parts: Record<string, string | undefined>) => void }) {
  const versions = useVersions(file);
  const [typed, type] = useState("");
  const files = useQuery({
    queryKey: ["files", "compare", typed],
    queryFn: ({ signal }) => api.listFiles({ query: { limit: 8, ...(typed !== "" && { q: typed }) }, signal }),
    placeholderData: (before) => before,
    enabled: open,
  });
  const choices = useMemo(
    () => [
      ...(versions.data ?? []).filter(({ n, current }) => !current && words.document.version(n).toLowerCase().includes(typed.toLowerCase())).map(({ n, name }) => ({ value: `v${n}`, text: words.document.version(n), note: name })),
      ...(files.data?.items ?? []).filter(({ id }) => id !== file.id).map(({ id, name }) => ({ value: id, text: name })),
    ],
    [versions.data, files.data, typed],
  );
  // Of two versions the older one is changed into the newer, as people read it.
  const take = (value: string): void => {
    close();
    if (value.startsWith("v")) choose({ with: file.id, base: value.slice(1), version: String(file.currentVersion) });
    else choose({ with: value, base: undefined, version: undefined });
  };
  return (
    <Dialog open={open} close={close} title={words.redline.compareWith} class="go-box" bare>
      <Choose label={words.redline.compareFind} choices={choices} typed={typed} type={type} choose={take} none={files.isPending ? words.loading : words.go.none} />
    </Dialog>
  );
}
