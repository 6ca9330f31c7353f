import type { PageWord, Span } from "./document.js";

/** What a mark says of its words. */
type MarkKind = "picked" | "fact" | "clause" | "changed" | "field";

export interface Mark {
  kind: MarkKind;
  span: Span;
}

/** A rectangle on a page, in shares of its width and height. */
interface Rectangle {
  kind: MarkKind;
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

/** The rectangles of a mark on a page: one for each run of its words on a line. */
export function rectangles(words: PageWord[], { kind, span }: Mark): Rectangle[] {
  const found: Rectangle[] = [];
  let before: PageWord | undefined;
  for (const word of words) {
    if (word.span.start >= span.end || word.span.end <= span.start) continue;
    const { x0, y0, x1, y1 } = word.box;
    const line = found.at(-1);
    const middle = (y0 + y1) / 2;
    if (line && before && line.y0 < middle && middle < line.y1 && x0 >= before.box.x0) {
      line.x1 = Math.max(line.x1, x1);
      line.y0 = Math.min(line.y0, y0);
      line.y1 = Math.max(line.y1, y1);
    } else {
      found.push({ kind, x0, y0, x1, y1 });
    }
    before = word;
  }
  return found.map((line) => trimmed(line, words));
}

/** The boxes of words may be so tall that they reach into other lines: a mark ends halfway to these, so that its line is below its own words. */
function trimmed(line: Rectangle, words: PageWord[]): Rectangle {
  const { x0, x1, y0, y1 } = line;
  const own = (y0 + y1) / 2;
  const apart = (y1 - y0) * 0.35;
  let [top, bottom] = [y0, y1];
  for (const { box } of words) {
    if (box.x1 <= x0 || box.x0 >= x1) continue;
    const middle = (box.y0 + box.y1) / 2;
    const between = (own + middle) / 2;
    if (middle > own + apart) bottom = Math.min(bottom, between);
    else if (middle < own - apart) top = Math.max(top, between);
  }
  return { ...line, y0: top, y1: bottom };
}
