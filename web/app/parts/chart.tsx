import { Download } from "lucide-preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { percent } from "../format.js";
import { words } from "../words.js";
import { saveAs, saveTable } from "./save.js";

/** A value of a chart: its name, how much it is, how that is written, and where what is behind it is listed. */
export interface Point {
  name: string;
  value: number;
  shown?: string;
  /** A second value that it is compared with, from 0 to 1 as the first. */
  usual?: number;
  path?: string | undefined;
}

type Kind = "bar" | "line" | "radar";

/** A chart with its values in a table beside or below it. Bars lead to what is behind them. */
export function Chart({ kind, title, names, points, table = true }: { kind: Kind; title: string; names: [name: string, value: string]; points: Point[]; table?: boolean }) {
  const figure = useRef<HTMLElement>(null);
  const [width, measure] = useState(0);
  useEffect(() => {
    const element = figure.current;
    if (!element) return;
    const observer = new ResizeObserver(() => measure(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  // Two points make no area, and one no line.
  const Drawn = kind === "line" && points.length > 1 ? Line : kind === "radar" && points.length > 2 ? Radar : Bars;
  const drawn = width > 0 && <Drawn points={points} width={width} />;
  return (
    <figure class="chart" ref={figure} aria-label={title}>
      {drawn}
      <details class={table ? "" : "unseen"} open={!table}>
        <summary>{words.chart.table}</summary>
        <table class="bars">
          <thead>
            <tr><th scope="col">{names[0]}</th><th scope="col" class="number">{names[1]}</th>{points.some(({ usual }) => usual !== undefined) && <th scope="col" class="number">{words.document.compareTable.usual}</th>}</tr>
          </thead>
          <tbody>
            {points.map(({ name, value, shown, usual, path }, i) => (
              <tr key={i}>
                <th scope="row">{path ? <a href={path}>{name}</a> : name}</th>
                <td class="number">{shown ?? value.toLocaleString()}</td>
                {usual !== undefined && <td class="number">{percent(usual)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
        <div class="exports">
          <button class="link" onClick={() => saveTable(title, [names, ...points.map(({ name, value, shown }) => [name, Number.isFinite(value) ? value : (shown ?? "")])])}><Download size={14} class="icon" /> CSV</button>
          <button class="link" onClick={() => figure.current && saveAs(`${title}.svg`, new Blob([svgOf(figure.current)], { type: "image/svg+xml" }))}><Download size={14} class="icon" /> SVG</button>
        </div>
      </details>
    </figure>
  );
}

const row = 28;

function Bars({ points, width }: { points: Point[]; width: number }) {
  const names = Math.min(200, width * 0.4);
  const most = Math.max(...points.map(({ value }) => value), 1e-9);
  const room = Math.max(width - names - 72, 40);
  return (
    <svg width={width} height={points.length * row} aria-hidden="true">
      {points.map(({ name, value, shown, path }, i) => {
        const bar = (
          <g class="chart-bar" transform={`translate(0 ${i * row})`}>
            <title>{`${name}: ${shown ?? value.toLocaleString()}`}</title>
            <rect class="chart-hover" width={width} height={row} />
            <text x={names - 8} y={18} text-anchor="end">{short(name, names / 7.5)}</text>
            <rect class="chart-fill" x={names} y={6} width={Math.max((Math.max(value, 0) / most) * room, 1)} height={16} />
            <text class="chart-value" x={names + (Math.max(value, 0) / most) * room + 6} y={18}>{shown ?? value.toLocaleString()}</text>
          </g>
        );
        return path ? <a key={i} href={path} tabindex={-1}>{bar}</a> : <g key={i}>{bar}</g>;
      })}
    </svg>
  );
}

function Line({ points, width }: { points: Point[]; width: number }) {
  const height = 180;
  const [low, high] = [Math.min(0, ...points.map(({ value }) => value)), Math.max(...points.map(({ value }) => value), 1e-9)];
  const x = (i: number): number => 48 + (i * (width - 80)) / (points.length - 1);
  const y = (value: number): number => height - 28 - ((value - low) / (high - low)) * (height - 44);
  const every = Math.ceil(points.length / Math.max(1, Math.floor(width / 90)));
  return (
    <svg width={width} height={height} aria-hidden="true">
      {[low, (low + high) / 2, high].map((value) => (
        <g key={value}>
          <line class="chart-grid" x1={48} x2={width - 32} y1={y(value)} y2={y(value)} />
          <text x={42} y={y(value) + 4} text-anchor="end">{value.toLocaleString(undefined, { notation: "compact" })}</text>
        </g>
      ))}
      <path class="chart-line" d={points.map(({ value }, i) => `${i === 0 ? "M" : "L"}${x(i)} ${y(value)}`).join("")} />
      {points.map(({ name, value, shown, path }, i) => {
        const dot = (
          <circle class="chart-fill" cx={x(i)} cy={y(value)} r={4}>
            <title>{`${name}: ${shown ?? value.toLocaleString()}`}</title>
          </circle>
        );
        return (
          <g key={i}>
            {path ? <a href={path} tabindex={-1}>{dot}</a> : dot}
            {i % every === 0 && <text x={x(i)} y={height - 8} text-anchor="middle">{short(name, 12)}</text>}
          </g>
        );
      })}
    </svg>
  );
}

/** Values from 0 to 1 around a point; what is usual is the ground behind them. */
function Radar({ points, width }: { points: Point[]; width: number }) {
  const height = Math.min(width, 340);
  const radius = height / 2 - 36;
  const at = (i: number, share: number): [number, number] => {
    const angle = (i / points.length) * 2 * Math.PI - Math.PI / 2;
    return [width / 2 + Math.cos(angle) * radius * share, height / 2 + Math.sin(angle) * radius * share];
  };
  const ring = (share: (point: Point) => number): string => points.map((point, i) => at(i, share(point)).join()).join(" ");
  return (
    <svg width={width} height={height} aria-hidden="true">
      {[0.25, 0.5, 0.75, 1].map((share) => <polygon key={share} class="chart-grid" points={ring(() => share)} />)}
      {points.some(({ usual }) => usual !== undefined) && <polygon class="chart-usual" points={ring(({ usual }) => usual ?? 0)} />}
      <polygon class="chart-area" points={ring(({ value }) => value)} />
      {points.map((point, i) => {
        const [x, y] = at(i, 1.1);
        const side = Math.abs(x - width / 2) < 8 ? "middle" : x > width / 2 ? "start" : "end";
        const text = (
          <text x={x} y={y + 4} text-anchor={side}>
            <title>{`${point.name}: ${point.shown ?? point.value.toLocaleString()}`}</title>
            {lines(point.name, Math.max((width / 2 - radius) / 7, 6)).map((line, n, all) => <tspan key={n} x={x} dy={n === 0 ? (all.length - 1) * -7 : 14}>{line}</tspan>)}
          </text>
        );
        return point.path ? <a key={i} href={point.path} tabindex={-1}>{text}</a> : <g key={i}>{text}</g>;
      })}
    </svg>
  );
}

/** A name in two lines at most, broken between words. */
function lines(text: string, most: number): string[] {
  if ([...text].length <= most) return [text];
  const at = text.lastIndexOf(" ", Math.floor(most));
  return at > 0 ? [text.slice(0, at), short(text.slice(at + 1), most)] : [short(text, most)];
}

const short = (text: string, most: number): string => ([...text].length > most ? `${[...text].slice(0, Math.floor(most) - 1).join("")}…` : text);

/** The picture with its colours in it, so that it looks the same elsewhere. */
function svgOf(figure: HTMLElement): string {
  const svg = figure.querySelector("svg");
  if (!svg) return "";
  const copy = svg.cloneNode(true) as SVGSVGElement;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const originals = svg.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((element, i) => {
    const style = getComputedStyle(originals[i]!);
    for (const name of ["fill", "stroke", "stroke-width", "fill-opacity", "font-family", "font-size"]) element.setAttribute(name, style.getPropertyValue(name));
  });
  return copy.outerHTML;
}
