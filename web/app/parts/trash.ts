import { api } from "../data/client.js";
import { renew } from "../data/live.js";
import { words } from "../words.js";
import { attempt, say } from "./toasts.js";

/** Deletes something, and offers to bring it back from the trash. What has to be asked for anew is named as for renew. */
export function toTrash(name: string, remove: () => Promise<{ trashId?: string }>, renewed: string[], then?: () => void): void {
  void attempt(async () => {
    const { trashId } = await remove();
    renew(...renewed);
    then?.();
    const back = async (id: string): Promise<void> => {
      await api.restoreTrash({ path: { id }, body: {} });
      renew(...renewed);
      say(words.restored(name));
    };
    say(words.inTrash(name), trashId === undefined ? undefined : () => void attempt(() => back(trashId)));
  });
}
