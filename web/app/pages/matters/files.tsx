import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { FilePlus, X } from "lucide-preact";
import { useMemo, useState } from "preact/hooks";
import { api, type Schemas } from "../../data/client.js";
import { useTypes } from "../../data/files.js";
import { type Matter, putBack, putFiles, useMatterFiles } from "../../data/matters.js";
import { useMay } from "../../data/people.js";
import { Choose } from "../../parts/choose.js";
import { Dialog } from "../../parts/dialog.js";
import { Failed, Skeleton } from "../../parts/states.js";
import { attempt, say } from "../../parts/toasts.js";
import { words } from "../../words.js";
import { Status } from "../inbox/row.js";

const w = words.matters;

/** The files of a matter: others are put in, and these taken out. */
export function Files({ matter }: { matter: Matter }) {
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
