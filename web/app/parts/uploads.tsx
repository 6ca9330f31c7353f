import { X } from "lucide-preact";
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";
import { stopUpload, uploading } from "../data/uploads.js";
import { useStore } from "../data/store.js";
import { words } from "../words.js";

/** How far the upload is, on every page. Once it has ended it stays until it is closed, or another page is opened where no file was refused. */
export function Uploads() {
  const state = useStore(uploading);
  const { path } = useLocation();
  useEffect(() => {
    if (state && !state.running && state.refused.length === 0) uploading.value = null;
  }, [path]);
  if (!state) return null;
  const share = state.bytes === 0 ? 0 : state.sent / state.bytes;
  return (
    <section class="uploads" aria-label={words.files.upload}>
      <header>
        <strong>{state.running ? words.files.uploading(state.done, state.all) : words.files.uploaded(state.done - state.refused.length)}</strong>
        {state.running ? (
          <button class="link" onClick={stopUpload}>{words.files.uploadStop}</button>
        ) : (
          <button class="bare" aria-label={words.files.uploadsHide} onClick={() => (uploading.value = null)}>
            <X size={16} class="icon" />
          </button>
        )}
      </header>
      {state.running && <progress max={1} value={share} aria-label={words.files.upload} />}
      {state.refused.length > 0 && (
        <details open={!state.running}>
          <summary>{words.files.refused(state.refused.length)}</summary>
          <ul>
            {state.refused.slice(0, 100).map(({ name, why }, i) => (
              <li key={i}>
                <strong class="cut">{name}</strong> {why}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}
