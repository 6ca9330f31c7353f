import type { Span } from "./document.js";

/** Words that are selected in the text of a file. */
export interface Selected {
  span: Span;
  text: string;
  /** Where the selection is on the screen. */
  at: DOMRect;
}

const points = (text: string): number => [...text].length;

/** Where a point of the document is within what holds text, in code points from its beginning; undefined where it is outside of it. */
function within(holder: HTMLElement, node: Node, offset: number): number | undefined {
  if (!holder.contains(node)) return undefined;
  const range = document.createRange();
  range.selectNodeContents(holder);
  range.setEnd(node, offset);
  return points(range.toString());
}

/**
 * The words that are selected now on the pages of a file. What holds text says by data-from
 * where it begins in the text of the file; a word on a picture of a page is taken as a whole.
 */
export function selectedWords(): Selected | null {
  const selection = getSelection();
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return null;
  const range = selection.getRangeAt(0);
  const holders = [...document.querySelectorAll<HTMLElement>(".pages [data-from]")]
    .filter((holder) => range.intersectsNode(holder))
    .map((holder) => {
      const whole = holder.closest(".words") !== null;
      const length = points(whole ? holder.innerText.trimEnd() : (holder.textContent ?? ""));
      const from = within(holder, range.startContainer, range.startOffset) ?? 0;
      const to = Math.min(within(holder, range.endContainer, range.endOffset) ?? length, length);
      return { base: Number(holder.dataset["from"]), from, to, length, whole };
    })
    .filter(({ from, to }) => from < to);
  const [first, last] = [holders[0], holders.at(-1)];
  if (!first || !last) return null;
  const span = { start: first.base + (first.whole ? 0 : first.from), end: last.base + (last.whole ? last.length : last.to) };
  return span.start < span.end ? { span, text: range.toString().trim().replace(/\s+/g, " "), at: range.getBoundingClientRect() } : null;
}
