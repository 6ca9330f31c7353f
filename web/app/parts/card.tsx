import { Download } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { Help } from "./help.js";
import { saveTable } from "./save.js";

interface Props {
  title: string;
  /** What its figures say, and over what. */
  text: string;
  /** The path that gives them. */
  request: string;
  broad?: boolean;
  /** Its table, to be exported. */
  rows?: (string | number)[][];
  children: ComponentChildren;
}

/** A figure among others, under a title that explains it. */
export function Card({ title, text, request, broad = false, rows, children }: Props) {
  return (
    <section class={broad ? "widget broad" : "widget"} aria-label={title}>
      <header>
        <h2>{title}</h2>
        <Help title={title} text={text} request={{ method: "GET", path: request }} />
      </header>
      {children}
      {rows && (
        <div class="exports">
          <button class="link" aria-label={`${title}: CSV`} onClick={() => saveTable(title, rows)}><Download size={14} class="icon" /> CSV</button>
        </div>
      )}
    </section>
  );
}
