import { useLayoutEffect } from "preact/hooks";

/** Where a rendering takes the element away that has the focus, another one in the same area gets it. */
export function useHeir(area: string, heir: string): void {
  const held = document.activeElement;
  const around = held?.closest(area);
  useLayoutEffect(() => {
    if (around && !held?.isConnected && document.activeElement === document.body) around.querySelector<HTMLElement>(heir)?.focus();
  });
}
