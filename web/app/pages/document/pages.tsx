import { Maximize2, Minus, Plus } from "lucide-preact";
import { memo } from "preact/compat";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Schemas } from "../../data/client.js";
import { type PageWord, type Span, touches, usePages, usePageWords } from "../../data/document.js";
import { connection } from "../../data/live.js";
import { type Mark, rectangles } from "../../data/marks.js";
import { useStore } from "../../data/store.js";
import { useKeys } from "../../keys.js";
import { Failed, Skeleton } from "../../parts/states.js";
import { useVirtual } from "../../parts/virtual.js";
import { words } from "../../words.js";

type File = Schemas["File"];
type Page = Schemas["PageInfo"];

const gap = 16;
const thumbWidth = 72;
/** Widths in pixels that page images are asked for in, so that few are drawn. */
const widths = [800, 1200, 1600, 2400];

interface Props {
  file: File;
  marks: Mark[];
  /** Called where a page has words that were filled into a form; without it they are not marked. */
  filled?: (() => void) | undefined;
  picked: Span | null;
  asked: number;
  point: (word: Span) => void;
}

/** The pages of a file as they look, with their words on top, which can be selected. */
export function Pages({ file, marks, filled, picked, asked, point }: Props) {
  const pages = usePages(file);
  const all = useMemo(() => pages.data ?? [], [pages.data]);
  const scroller = useRef<HTMLDivElement>(null);
  const [room, measure] = useState(0);
  const [zoom, setZoom] = useState(1);
  // Drawing a page takes the service a while: the one that is looked at comes first, alone.
  const [drawn, tellDrawn] = useState(false);
  const loaded = useCallback(() => tellDrawn(true), []);
  const again = useAgain();
  const width = Math.round(Math.min(Math.max(room - 2 * gap, 240), 1000) * zoom);
  const height = (page: Page | undefined): number => Math.round(width * (page && page.width > 0 ? page.height / page.width : 1.414));
  const { items, height: tall, virtualizer } = useVirtual({ count: all.length, size: (i) => height(all[i]) + gap, scroller, overscan: 1 });

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    measure(element.clientWidth); // before a picture of another width is asked for
    const observer = new ResizeObserver(() => measure(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [pages.data]);
  useLayoutEffect(() => virtualizer.measure(), [width, all]);

  const offset = virtualizer.scrollOffset ?? 0;
  const view = (virtualizer.scrollRect?.height ?? 0) / 2;
  const shown = (items.findLast((item) => item.start <= offset + view)?.index ?? 0) + 1;
  const to = (n: number): void => virtualizer.scrollToIndex(Math.max(0, Math.min(n - 1, all.length - 1)), { align: "start" });
  useKeys({ "]": () => to(shown + 1), "[": () => to(shown - 1) });

  // The page of what was picked comes into view; its words say where on it.
  const pickedPage = picked ? all.findIndex((page) => page.span && touches(page.span, picked)) : -1;
  const [seek, look] = useState(-1);
  useEffect(() => {
    if (pickedPage < 0 || room === 0) return; // places are known once the width is
    const item = virtualizer.measurementsCache[pickedPage];
    const visible = item && item.start < offset + 2 * view && item.end > offset;
    if (!visible) virtualizer.scrollToIndex(pickedPage, { align: "start" });
    look(pickedPage);
  }, [pickedPage, picked, asked, room > 0]);
  const found = (page: number, top: number, bottom: number): void => {
    if (page !== seek) return;
    look(-1);
    const item = virtualizer.measurementsCache[page];
    if (!item) return;
    const now = virtualizer.scrollOffset ?? 0;
    const [from, until] = [item.start + top * height(all[page]), item.start + bottom * height(all[page])];
    if (from < now + 40 || until > now + 2 * view - 40) virtualizer.scrollToOffset(Math.max(0, from - view / 2));
  };

  // A page that the address names is scrolled to first: the others wait for it.
  const seeking = !drawn && pickedPage >= 0 && offset === 0 && !items.some(({ index }) => index === pickedPage);

  if (pages.error && !pages.data) return <Failed error={pages.error} again={() => void pages.refetch()} />;
  if (!pages.data) return <Skeleton lines={20} />;
  return (
    <>
      <Thumbs file={file} pages={all} shown={shown} drawn={drawn} again={again} to={to} />
      <section class="pages" ref={scroller} tabIndex={0} aria-label={words.document.pages}>
        <div class="tall" style={{ height: `${tall + gap}px`, minWidth: `${width + 2 * gap}px` }}>
          {items.map((item) => {
            const page = all[item.index];
            return (
              page && (
                <PageView
                  key={page.number}
                  file={file}
                  page={page}
                  top={item.start + gap}
                  width={width}
                  height={height(page)}
                  marks={marks}
                  filled={filled}
                  found={seek === item.index ? found : undefined}
                  point={point}
                  draw={room > 0 && (drawn || (!seeking && page.number === shown))}
                  again={again}
                  loaded={loaded}
                />
              )
            );
          })}
        </div>
      </section>
      <div class="zoom" role="group" aria-label={words.document.pages}>
        <button class="bare" aria-label={words.document.zoomOut} onClick={() => setZoom((z) => Math.max(0.5, z / 1.2))}>
          <Minus size={16} class="icon" />
        </button>
        <button class="bare" aria-label={words.document.fit} onClick={() => setZoom(1)}>
          <Maximize2 size={16} class="icon" />
        </button>
        <button class="bare" aria-label={words.document.zoomIn} onClick={() => setZoom((z) => Math.min(3, z * 1.2))}>
          <Plus size={16} class="icon" />
        </button>
        <span class="quiet">{words.document.pageOf(shown, all.length)}</span>
      </div>
    </>
  );
}

const image = (file: File, n: number, width: number): string => `/api/files/${file.id}/pages/${n}/image?width=${width}&version=${file.currentVersion}`;

/** Small pictures of all pages, to go to one of them. */
function Thumbs({ file, pages, shown, drawn, again, to }: { file: File; pages: Page[]; shown: number; drawn: boolean; again: number; to: (n: number) => void }) {
  const scroller = useRef<HTMLDivElement>(null);
  const size = (i: number): number => Math.round(thumbWidth * (pages[i] && pages[i].width > 0 ? pages[i].height / pages[i].width : 1.414)) + 28;
  const { items, height, virtualizer } = useVirtual({ count: pages.length, size, scroller, overscan: 3 });
  useEffect(() => virtualizer.scrollToIndex(shown - 1, { align: "auto" }), [shown]);
  if (pages.length < 2) return null;
  return (
    <nav class="thumbs" ref={scroller} aria-label={words.document.pages}>
      <div class="tall" style={{ height: `${height}px` }}>
        {items.map((item) => {
          const n = item.index + 1;
          return (
            <button key={n} class="thumb-button" style={{ transform: `translateY(${item.start}px)` }} aria-label={words.document.page(n)} aria-current={n === shown ? "page" : undefined} onClick={() => to(n)}>
              <Picture src={drawn ? image(file, n, 160) : undefined} width={thumbWidth} height={size(item.index) - 28} again={again} lazy />
              <span>{n}</span>
            </button>
          );
        })}
      </div>
    </nav>
  );
}

interface Drawn {
  /** None while the picture waits for others. */
  src: string | undefined;
  width: number;
  height: number;
  /** Another number has a picture that failed asked for anew. */
  again: number;
  /** Called once it is there, or failed. */
  done?: () => void;
  lazy?: boolean;
}

/** A picture of the service. One that fails is asked for again, after 2, 4 and 8 seconds. */
function Picture({ src, width, height, again, done, lazy = false }: Drawn) {
  const [{ failures, failed }, tell] = useState({ failures: 0, failed: false });
  useEffect(() => tell((now) => (now.failed ? { failures: 0, failed: false } : now)), [src, again]);
  useEffect(() => {
    if (!failed || failures > 3) return;
    const timer = setTimeout(() => tell({ failures, failed: false }), 1000 * 2 ** failures);
    return () => clearTimeout(timer);
  }, [failed, failures]);
  // Without an address there is no picture at all: an empty one would be asked for as the page itself.
  if (src === undefined || failed) return <span class="drawing" style={{ width: `${width}px`, height: `${height}px` }} />;
  const fail = (): void => {
    tell(({ failures }) => ({ failures: failures + 1, failed: true }));
    done?.();
  };
  return <img src={src} alt="" width={width} height={height} {...(lazy && { loading: "lazy" })} onLoad={done} onError={fail} />;
}

/** Another number each time the connection is back. */
function useAgain(): number {
  const live = useStore(connection) === "live";
  const [times, count] = useState(0);
  useEffect(() => {
    if (live) count((n) => n + 1);
  }, [live]);
  return times;
}

interface View {
  file: File;
  page: Page;
  top: number;
  width: number;
  height: number;
  marks: Mark[];
  filled: (() => void) | undefined;
  found: ((page: number, top: number, bottom: number) => void) | undefined;
  point: (word: Span) => void;
  draw: boolean; // its picture, or wait for that of the page that is looked at
  again: number;
  loaded: () => void;
}

const PageView = memo(function PageView({ file, page, top, width, height, marks, filled, found, point, draw, again, loaded }: View) {
  const { data } = usePageWords(file, page.number);
  const pixels = width * window.devicePixelRatio;
  const wide = widths.find((one) => one >= pixels) ?? widths.at(-1)!;
  const boxes = useMemo(() => {
    if (!data || !page.span) return [];
    const span = page.span;
    const fields = filled ? data.filter(({ origin }) => origin === "field").map((word): Mark => ({ kind: "field", span: word.span })) : [];
    return [...fields, ...marks.filter((mark) => touches(mark.span, span))].flatMap((mark) => rectangles(data, mark));
  }, [data, marks, filled, page.span]);
  useEffect(() => {
    if (boxes.some(({ kind }) => kind === "field")) filled?.();
  }, [boxes, filled]);
  useEffect(() => {
    const first = boxes.find(({ kind }) => kind === "picked");
    if (found && data) found(page.number - 1, first?.y0 ?? 0, first?.y1 ?? 0);
  }, [boxes, found, data]);
  return (
    <article class="page" style={{ transform: `translateY(${top}px)`, width: `${width}px`, height: `${height}px` }} aria-label={words.document.page(page.number)}>
      <Picture src={draw ? image(file, page.number, wide) : undefined} width={width} height={height} again={again} done={loaded} />
      {boxes.map(({ kind, x0, y0, x1, y1 }, i) => (
        <div key={i} class={`mark ${kind}`} style={{ left: `${x0 * 100}%`, top: `${y0 * 100}%`, width: `${(x1 - x0) * 100}%`, height: `${(y1 - y0) * 100}%` }} />
      ))}
      {data && <Words all={data} width={width} height={height} point={point} />}
    </article>
  );
});

/** The words of a page where they stand, invisible over its picture: they are selected, copied and read aloud. */
const Words = memo(function Words({ all, width, height, point }: { all: PageWord[]; width: number; height: number; point: (word: Span) => void }) {
  const click = (event: MouseEvent): void => {
    const from = (event.target as HTMLElement).dataset["from"];
    const word = from === undefined ? undefined : all.find(({ span }) => span.start === Number(from));
    if (word && document.getSelection()?.isCollapsed !== false) point(word.span);
  };
  return (
    <div class="words" onClick={click}>
      {all.map((word, i) => {
        const size = (word.box.y1 - word.box.y0) * height * 0.9;
        const long = (word.box.x1 - word.box.x0) * width;
        const next = all[i + 1];
        const ends = !next || next.box.y0 > word.box.y1;
        return (
          <span
            key={i}
            data-from={word.span.start}
            style={{
              left: `${word.box.x0 * width}px`,
              top: `${word.box.y0 * height}px`,
              fontSize: `${size}px`,
              transform: `scaleX(${long / Math.max(natural(word.text) * size, 1)})`,
            }}
          >
            {word.text + (ends ? "\n" : " ")}
          </span>
        );
      })}
    </div>
  );
});

const canvas = document.createElement("canvas").getContext("2d")!;
canvas.font = "100px sans-serif";

/** The width of a word in the font of the words, for each pixel of its size. */
function natural(text: string): number {
  return canvas.measureText(text).width / 100;
}
