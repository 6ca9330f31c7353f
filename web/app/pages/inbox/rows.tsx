import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { File } from "../../data/files.js";
import { type Entry, useRowMenu } from "../../parts/menu.js";
import { useVirtual } from "../../parts/virtual.js";
import { words } from "../../words.js";
import type { Column } from "./columns.js";
import { Row, rowHeights } from "./row.js";

const ahead = 40; // rows that are loaded before they are needed

interface Props {
  /** Those that are loaded. */
  files: File[];
  /** How many there are before them. */
  skipped: number;
  /** How many there are with those that are not loaded. */
  total: number;
  columns: Column[];
  current: File | undefined;
  selected: ReadonlySet<string>;
  /** All are selected, with those that are not loaded. */
  whole: boolean;
  choose: (index: number) => void;
  /** None where nothing can be done to what is selected. */
  toggle: ((id: string) => void) | undefined;
  /** What the menu of a file offers. */
  entries: (file: File) => Entry[];
  /** Loads more files; none while some are being loaded, or there are none. */
  more: (() => void) | undefined;
  /** Loads the ones before, in the same way. */
  earlier: (() => void) | undefined;
  /** Loads those around a file that was there before. */
  back: (index: number) => void;
  /** More could not be loaded. */
  failed: boolean;
  /** Gets a function that scrolls to a file. */
  show: { current: ((index: number) => void) | null };
  /** What is shown where there are no files. */
  children: ComponentChildren;
}

/** The list of files. It is a part of its own since it alone is rendered while it is scrolled. */
export function Rows({ files, skipped, total, columns, current, selected, whole, choose, toggle, entries, more, earlier, back, failed, show, children }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const [phone, tell] = useState(false);
  const { items, height, virtualizer } = useVirtual({ count: skipped + files.length, size: () => rowHeights[phone ? 1 : 0], scroller, overscan: 12 });
  useLayoutEffect(() => virtualizer.measure(), [phone]);
  const { trigger, opened } = useRowMenu((id) => {
    const file = files.find((one) => one.id === id);
    return file ? entries(file) : [];
  });
  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box) return;
    const observer = new ResizeObserver(() => {
      tell(box.offsetWidth < 520);
      // The head of the list leaves as much room as the scroll bar takes.
      box.parentElement?.style.setProperty("--bar", `${box.offsetWidth - box.clientWidth}px`);
    });
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  useImperativeHandle(show, () => (index: number) => virtualizer.scrollToIndex(index), [virtualizer]);
  const minute = useMinute();
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  const there = current && items.some(({ index }) => files[index - skipped] === current); // it may be out of sight
  const load = (): void => {
    if (last < skipped - ahead) back(Math.max(0, first - ahead));
    else if (first < skipped + ahead && earlier) earlier();
    else if (last >= skipped + files.length - ahead) more?.();
  };
  useEffect(() => {
    if (!failed) load();
  }, [first, last, skipped, files.length, earlier === undefined, more === undefined, failed]);
  const chooseOne = useSame(choose);
  const toggleOne = useSame((id: string) => toggle?.(id));
  return (
    <>
      <div class="rows" ref={scroller} tabIndex={0} {...(current && { role: "grid", "aria-label": words.files.title, "aria-multiselectable": true, "aria-rowcount": total })} {...(there && { "aria-activedescendant": `file-${current?.id}` })}>
        {children}
        <div class="tall" {...(current && { role: "rowgroup" })} style={{ height: `${height}px` }}>
          {items.map((item) => {
            const file = files[item.index - skipped];
            return (
              file && (
                <Row
                  key={file.id}
                  file={file}
                  index={item.index}
                  top={item.start}
                  columns={columns}
                  current={file === current}
                  selected={whole || selected.has(file.id)}
                  minute={minute}
                  choose={chooseOne}
                  toggle={toggle && toggleOne}
                  trigger={trigger}
                />
              )
            );
          })}
        </div>
      </div>
      {failed && (
        <p class="note bad" role="alert">
          {words.files.moreFailed} <button class="button" onClick={load}>{words.tryAgain}</button>
        </p>
      )}
      {opened}
    </>
  );
}

/** How many minutes the page has been there: what is told of times is told anew with each. */
function useMinute(): number {
  const [minute, count] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => count((n) => n + 1), 60_000);
    return () => clearInterval(timer);
  }, []);
  return minute;
}

/** One function for as long as a part is shown, which does what the latest does. */
function useSame<A>(act: (of: A) => void): (of: A) => void {
  const latest = useRef(act);
  latest.current = act;
  return useCallback((of: A) => latest.current(of), []);
}
