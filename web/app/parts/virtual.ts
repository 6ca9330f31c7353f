import { elementScroll, observeElementOffset, observeElementRect, type VirtualItem, Virtualizer } from "@tanstack/virtual-core";
import { useLayoutEffect, useReducer, useState } from "preact/hooks";

interface Long {
  count: number;
  /** Height of an item in pixels. */
  size: (index: number) => number;
  scroller: { current: HTMLElement | null };
  overscan: number;
  /** How far below the top of the scroller the list begins: places count from there. */
  margin?: number;
}

/** Which items of a long list are to be rendered, and where. */
export function useVirtual({ count, size, scroller, overscan, margin = 0 }: Long): { items: VirtualItem[]; height: number; virtualizer: Virtualizer<HTMLElement, Element> } {
  const [, render] = useReducer((n: number) => n + 1, 0);
  const options = {
    count,
    overscan,
    scrollMargin: margin,
    estimateSize: size,
    getScrollElement: () => scroller.current,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => render(undefined),
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, Element>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  return { items: virtualizer.getVirtualItems(), height: virtualizer.getTotalSize(), virtualizer };
}
