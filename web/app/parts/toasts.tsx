import { X } from "lucide-preact";
import { useReducer } from "preact/hooks";
import { Store, useStore } from "../data/store.js";
import { saying } from "../data/client.js";
import { words } from "../words.js";

interface Toast {
  id: number;
  text: string;
  failed?: boolean;
  undo?: () => void;
}

const toasts = new Store<Toast[]>([]);
let last = 0;

const drop = (id: number): void => {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
};

/** Says what happened, for some seconds. What can be undone can be undone here. */
export function say(text: string, undo?: () => void): void {
  const id = ++last;
  toasts.value = [...toasts.value.slice(-3), { id, text, ...(undo && { undo }) }];
  setTimeout(() => drop(id), undo ? 12_000 : 5_000);
}

/** Says that something did not work, until it is closed. */
export function sayFailed(error: unknown): void {
  toasts.value = [...toasts.value.slice(-3), { id: ++last, text: `${words.error.failed}: ${saying(error)}`, failed: true }];
}

/** Does something, and says so where it fails. */
export async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    sayFailed(error);
    return undefined;
  }
}

/** As attempt; where it fails, the part is rendered again: its fields show what is stored and not what was refused. */
export function useAttempt(): (work: () => Promise<unknown>) => Promise<void> {
  const [, render] = useReducer((n: number) => n + 1, 0);
  return async (work) => {
    try {
      await work();
    } catch (error) {
      sayFailed(error);
      render(undefined);
    }
  };
}

export function Toasts() {
  const all = useStore(toasts);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {all.map((toast) => (
        <div key={toast.id} class={toast.failed ? "toast failed" : "toast"}>
          <span>{toast.text}</span>
          {toast.undo && (
            <button class="link" onClick={() => (drop(toast.id), toast.undo?.())}>
              {words.undo}
            </button>
          )}
          <button class="bare" aria-label={words.close} onClick={() => drop(toast.id)}>
            <X size={16} class="icon" />
          </button>
        </div>
      ))}
    </div>
  );
}
