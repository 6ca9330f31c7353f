import { useQuery } from "@tanstack/preact-query";
import { Columns3 } from "lucide-preact";
import { useMemo } from "preact/hooks";
import { api } from "../../data/client.js";
import { gathered } from "../../data/document.js";
import { useFields } from "../../data/fields.js";
import { type File, useTypes } from "../../data/files.js";
import { usePeople } from "../../data/people.js";
import { Store, useStore } from "../../data/store.js";
import { ago, at, bytes, date, language } from "../../format.js";
import { Menu } from "../../parts/menu.js";
import { words } from "../../words.js";

/** A column that people may choose. Those that stay on a narrow screen have a width of their own. */
export interface Column {
  name: string;
  /** What is above it. */
  head: string;
  width: string;
  stays?: true;
  number?: boolean;
  /** The field that the list can be sorted by. */
  sort?: string;
  /** The attribute whose values it shows: the list is asked for them. */
  attribute?: string;
  show: (file: File) => string;
  title?: (file: File) => string;
}

const key = "clausemill-columns";
const usual = ["type", "parties", "pages", "added"];

/** The names of the columns that are shown, as this browser remembers them. */
const chosen = new Store<string[]>((localStorage.getItem(key) ?? usual.join()).split(","));
chosen.follow(() => localStorage.setItem(key, chosen.value.join()));

/** All columns, the fields of the team among them, and those that are shown, each with the names that it needs. */
export function useColumns(): { all: Column[]; shown: Column[] } {
  const names = useStore(chosen);
  const types = useTypes();
  const people = usePeople();
  const fields = useFields();
  const matters = useQuery({
    queryKey: ["matters", "names", "all"],
    queryFn: ({ signal }) => gathered(api.all("listMatterNames", { query: { limit: 500 }, signal })),
    enabled: names.includes("matter"),
  });
  return useMemo(() => {
    const of = (list: { id: string; name: string; email?: string }[] | undefined) => new Map(list?.map(({ id, name, email }) => [id, name || (email ?? "")]));
    const [whose, matterOf] = [of(people.data), of(matters.data)];
    const all: (Omit<Column, "head" | "name"> & { name: keyof typeof words.files.columns })[] = [
      { name: "type", width: "minmax(0, 1.4fr)", show: (file) => types.data?.get(file.documentTypeId ?? "") ?? "" },
      { name: "parties", width: "minmax(0, 2fr)", show: (file) => file.parties.map((party) => party.name).join(" · ") },
      { name: "counterparties", width: "minmax(0, 1.4fr)", show: (file) => file.counterparties.join(" · ") },
      { name: "law", width: "minmax(0, 1fr)", attribute: "governing_law", show: (file) => file.attributes?.["governing_law"]?.join(" · ") ?? "" },
      { name: "expires", width: "92px", attribute: "expiration_date", show: (file) => file.attributes?.["expiration_date"]?.map(date).join(" · ") ?? "" },
      { name: "stage", width: "92px", show: (file) => words.lifecycle[file.lifecycleStage] },
      { name: "language", width: "80px", show: (file) => language(file.language) },
      { name: "matter", width: "minmax(0, 1.4fr)", show: (file) => matterOf.get(file.matterId ?? "") ?? "" },
      { name: "by", width: "minmax(0, 1fr)", show: (file) => whose.get(file.createdBy ?? "") ?? "" },
      { name: "pages", width: "52px", stays: true, number: true, sort: "pageCount", show: (file) => (file.pageCount > 0 ? file.pageCount.toLocaleString() : "") },
      { name: "size", width: "64px", number: true, sort: "size", show: (file) => bytes(file.size) },
      { name: "added", width: "92px", stays: true, sort: "createdAt", show: (file) => ago(file.createdAt), title: (file) => at(file.createdAt) },
      { name: "changed", width: "92px", sort: "updatedAt", show: (file) => ago(file.updatedAt), title: (file) => at(file.updatedAt) },
    ];
    const own = (fields.data ?? []).map(({ key, name, kind }): Column => {
      const shown = kind === "date" ? date : (value: string) => value;
      return { name: `field ${key}`, head: name, width: "minmax(0, 1fr)", attribute: key, number: kind === "number" || kind === "money", show: (file) => file.attributes?.[key]?.map(shown).join(" · ") ?? "" };
    });
    const every: Column[] = [...all.map((column) => ({ ...column, head: words.files.columns[column.name] })), ...own];
    return { all: every, shown: every.filter(({ name }) => names.includes(name)) };
  }, [names, types.data, people.data, matters.data, fields.data]);
}

/** What the list is laid out with, on a broad screen and on a narrow one. */
export const layoutOf = (shown: Column[]): Record<string, string> => ({
  "--columns": shown.map(({ width }) => width).join(" "),
  "--staying": shown.flatMap(({ width, stays }) => (stays ? [width] : [])).join(" "),
});

/** A menu to choose columns. */
export function ColumnsMenu({ all, shown }: { all: Column[]; shown: Column[] }) {
  const toggle = (column: Column): void => void (chosen.value = all.filter((one) => shown.includes(one) !== (one === column)).map(({ name }) => name));
  return (
    <Menu class="bare small" label={words.files.columnsMenu} entries={all.map((column) => ({ text: column.head, checked: shown.includes(column), stays: true, act: () => toggle(column) }))}>
      <Columns3 size={14} class="icon" />
    </Menu>
  );
}
