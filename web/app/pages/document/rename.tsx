import { useState } from "preact/hooks";
import { api, type Schemas } from "../../data/client.js";
import { renew } from "../../data/live.js";
import { Dialog } from "../../parts/dialog.js";
import { attempt, say } from "../../parts/toasts.js";
import { words } from "../../words.js";

type File = Schemas["File"];

const call = async (file: File, name: string): Promise<void> => {
  await api.updateFile({ path: { fileId: file.id }, body: { name } });
  renew("file", "files");
};

/** Asks for another name of a file. What was typed stays where it is refused. */
export function Rename({ file, close }: { file: File; close: () => void }) {
  const [name, type] = useState(file.name);
  const save = (event: Event): void => {
    event.preventDefault();
    void attempt(async () => {
      const now = name.trim();
      if (now !== file.name) {
        await call(file, now);
        say(words.document.renamed(now), () => void attempt(() => call(file, file.name)));
      }
      close();
    });
  };
  return (
    <Dialog open close={close} title={words.document.rename}>
      <form class="unlock" onSubmit={save}>
        <input type="text" required maxLength={255} dir="auto" aria-label={words.files.columns.name} value={name} onInput={(event) => type(event.currentTarget.value)} data-autofocus />
        <button class="button primary">{words.document.save}</button>
      </form>
    </Dialog>
  );
}
