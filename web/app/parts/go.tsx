import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { Briefcase, ChartColumn, FileText, type LucideIcon, Search, Settings, Shapes } from "lucide-preact";
import { useMemo, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { api } from "../data/client.js";
import { useTypes } from "../data/files.js";
import { useMay } from "../data/people.js";
import { settingsFor } from "../pages/settings/pages.js";
import { words } from "../words.js";
import { asks as isQuestion } from "../data/search.js";
import { type Choice, Choose } from "./choose.js";
import { Dialog } from "./dialog.js";

/** Somewhere to go, or something to do. */
export interface Goal {
  name: string;
  icon: LucideIcon;
  path?: string;
  act?: () => void;
}

/** A box that leads anywhere: to pages, to a search for what is typed, to files, matters and types by their names; and it does what menus do. */
export function Go({ open, close, goals }: { open: boolean; close: () => void; goals: Goal[] }) {
  return (
    <Dialog open={open} close={close} title={words.top.go} class="go-box" bare>
      <Goals close={close} goals={goals} />
    </Dialog>
  );
}

function Goals({ close, goals }: { close: () => void; goals: Goal[] }) {
  const { route } = useLocation();
  const [typed, type] = useState("");
  const asked = typed.trim();
  const may = useMay();
  const types = useTypes();
  const files = useQuery({
    queryKey: ["files", "go", asked],
    queryFn: ({ signal }) => api.listFiles({ query: { limit: 8, ...(asked !== "" && { q: asked }) }, signal }),
    placeholderData: keepPreviousData,
  });
  const matters = useQuery({
    queryKey: ["matters", "names", asked, 5],
    queryFn: ({ signal }) => api.listMatterNames({ query: { limit: 5, ...(asked !== "" && { q: asked }) }, signal }),
    enabled: asked !== "",
    placeholderData: keepPreviousData,
  });
  const all = useMemo(() => {
    const begins = ({ name }: Goal): boolean => name.toLowerCase().startsWith(asked.toLowerCase());
    const has = ({ name }: Goal): boolean => name.toLowerCase().includes(asked.toLowerCase());
    const pages = goals.filter(({ path }) => path !== undefined);
    if (asked === "") return [...pages, ...(files.data?.items ?? []).map(({ id, name }): Goal => ({ path: `/files/${id}`, name, icon: FileText }))];
    const settings = settingsFor(may.manage).map((page): Goal => ({ path: `/settings/${page}`, name: words.go.setting(words.settings.pages[page]), icon: Settings }));
    const kinds = [...(types.data ?? [])].map(([id, name]): Goal => ({ path: `/types/${id}`, name, icon: Shapes }));
    const found = [
      ...pages.filter(has),
      ...(files.data?.items ?? []).map(({ id, name }): Goal => ({ path: `/files/${id}`, name, icon: FileText })),
      ...(matters.data?.items ?? []).map(({ id, name }): Goal => ({ path: `/matters/${id}`, name, icon: Briefcase })),
      ...kinds.filter(has).slice(0, 5),
      ...[...settings, ...goals.filter(({ act }) => act)].filter(has),
    ];
    // What is called as was typed comes before a search for it.
    return [...found.filter(begins), { path: `/search?${new URLSearchParams({ q: asked })}`, name: words.go.search(asked), icon: Search }, ...(isQuestion(asked) ? [{ path: `/questions?${new URLSearchParams({ ask: asked })}`, name: words.go.ask(asked), icon: ChartColumn }] : []), ...found.filter((goal) => !begins(goal))];
  }, [goals, asked, may.manage, types.data, files.data, matters.data]);
  const choices = useMemo(() => all.map(({ path, name, icon }): Choice => ({ value: path ?? name, text: name, icon })), [all]);
  const take = (value: string): void => {
    const goal = all.find(({ path, name }) => (path ?? name) === value);
    close();
    if (goal?.path !== undefined) route(goal.path);
    else goal?.act?.();
  };
  return <Choose label={words.go.placeholder} choices={choices} typed={typed} type={type} choose={take} none={files.isPending ? words.loading : words.go.none} />;
}
