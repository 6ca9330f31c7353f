import { api, type Schemas } from "../../data/client.js";
import { renew } from "../../data/live.js";
import { Dialog } from "../../parts/dialog.js";
import { attempt, say } from "../../parts/toasts.js";
import { words } from "../../words.js";

/** Asks before a version is made of all proposals and decisions. */
export function CarryOut({ file, n, open, close }: { file: Schemas["File"]; n: number; open: boolean; close: () => void }) {
  const execute = (): void =>
    void attempt(async () => {
      close();
      await api.executeAllChanges({ path: { fileId: file.id }, body: {} });
      renew("file", "files");
      say(words.redline.started);
    });
  return (
    <Dialog open={open} close={close} title={words.redline.carryOut(n)}>
      <p>{words.redline.carryOutText(n)}</p>
      <div class="propose-buttons">
        <button class="button primary" data-autofocus onClick={execute}>{words.redline.carryOut(n)}</button>
        <button class="button" onClick={close}>{words.cancel}</button>
      </div>
    </Dialog>
  );
}
