import { words } from "../words.js";
import { Dialog } from "./dialog.js";

/** The keys of all pages. */
export function KeyList({ open, close }: { open: boolean; close: () => void }) {
  return (
    <Dialog open={open} close={close} title={words.keys.title}>
      <dl class="keys">
        {words.keys.list.map(([key, does]) => (
          <div key={key}>
            <dt><kbd>{key}</kbd></dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
