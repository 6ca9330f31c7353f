import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { api } from "../../data/client.js";
import { type File, paged } from "../../data/files.js";
import { bytes, percent, sentence } from "../../format.js";
import { factsOf } from "../../data/facts.js";
import { useFieldNames } from "../../data/fields.js";
import { words } from "../../words.js";

/** The first page of the file that the cursor is on, and what it says in short. */
export function Preview({ file }: { file: File | undefined }) {
  return (
    <aside class="preview" aria-label={words.files.preview}>
      {file ? <Of key={file.id} file={file} /> : <p class="quiet">{words.files.previewNone}</p>}
    </aside>
  );
}

function Of({ file }: { file: File }) {
  const [image, tell] = useState<"loading" | "there" | "none">("loading");
  const documents = useQuery({
    queryKey: ["file", file.id, "facts", file.updatedAt],
    queryFn: ({ signal }) => api.listFileDocuments({ path: { fileId: file.id }, query: { limit: 1 }, signal }),
    enabled: file.textReady,
  });
  const own = useFieldNames();
  const facts = factsOf(documents.data?.attributes ?? [], file, own).slice(0, 7);
  return (
    <>
      <h2 class="cut" title={file.name}><a href={`/files/${file.id}`}>{file.name}</a></h2>
      <p class="quiet">
        {file.pageCount > 0 && <>{words.files.page(file.pageCount)} · </>}
        {bytes(file.size)}
      </p>
      {file.error && (
        <p class="note bad">
          <strong>{sentence(file.error.message)}</strong> {sentence(file.error.hint)}
        </p>
      )}
      {file.warnings.map((warning) => (
        <p key={warning.code} class="note">{sentence(warning.message)}</p>
      ))}
      {file.pageCount > 0 && paged(file) && image !== "none" && (
        <a class={`thumb ${image}`} href={`/files/${file.id}`} tabIndex={-1} aria-hidden="true">
          <img src={`/api/files/${file.id}/pages/1/image?width=400&version=${file.currentVersion}`} alt="" onLoad={() => tell("there")} onError={() => tell("none")} />
        </a>
      )}
      {facts.length > 0 && (
        <dl class="facts-short">
          {facts.map((fact) => (
            <div key={fact.key}>
              <dt>{fact.name}</dt>
              <dd title={percent(fact.values[0]?.confidence ?? 0)}>{fact.values.map((value) => value.shown).join(" · ")}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}
