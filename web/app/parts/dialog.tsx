import * as dialog from "@zag-js/dialog";
import { normalizeProps, useMachine } from "@zag-js/preact";
import { X } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { words } from "../words.js";

/** A box over the page, which has the focus until it is closed: then what had it before, or what after says. A firm one is closed by its own buttons only. */
export function Dialog({ open, close, title, class: name = "", bare = false, firm = false, after, children }: { open: boolean; close: () => void; title: string; class?: string; bare?: boolean; firm?: boolean; after?: () => HTMLElement | null; children: ComponentChildren }) {
  const service = useMachine(dialog.machine, { id: useId(), open, closeOnEscape: !firm, closeOnInteractOutside: !firm, ...(after && { finalFocusEl: after }), onOpenChange: ({ open: still }) => still || close() });
  const api = dialog.connect(service, normalizeProps);
  if (!api.open) return null;
  return (
    <>
      <div {...api.getBackdropProps()} class="backdrop" />
      <div {...api.getPositionerProps()} class="dialog-place">
        <div {...api.getContentProps()} class={`dialog ${name}`}>
          <header class={bare ? "unseen" : ""}>
            <h2 {...api.getTitleProps()}>{title}</h2>
            {!bare && !firm && (
              <button {...api.getCloseTriggerProps()} class="bare" aria-label={words.close}>
                <X size={16} class="icon" />
              </button>
            )}
          </header>
          {children}
        </div>
      </div>
    </>
  );
}
