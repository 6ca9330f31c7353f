import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { Briefcase, FileText, type LucideIcon, Search } from "lucide-preact";
import { useMemo, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { api } from "../data/client.js";
import { words } from "../words.js";
import { type Choice, Choose } from "./choose.js";
import { Dialog } from "./dialog.js";

export interface Place {
  path: string;
  name: string;
  icon: LucideIcon;
}

/** A box that leads anywhere: to pages, to a search for what is typed, and to files by their names. */
export function Go({ open, close, places }: { open: boolean; close: () => void; places: Place[] }) {
  return (
    <Dialog open={open} close={close} title={words.top.go} class="go-box" bare>
      <Places close={close} places={places} />
    </Dialog>
  );
}

function Places({ close, places }: { close: () => void; places: Place[] }) {
  const { route } = useLocation();
  const [typed, type] = useState("");
  const files = useQuery({
    queryKey: ["files", "go", typed],
    queryFn: ({ signal }) => api.listFiles({ query: { limit: 8, ...(typed !== "" && { q: typed }) }, signal }),
    placeholderData: keepPreviousData,
  });
  const matters = useQuery({
    queryKey: ["matters", "names", typed, 5],
    queryFn: ({ signal }) => api.listMatterNames({ query: { limit: 5, ...(typed !== "" && { q: typed }) }, signal }),
    enabled: typed !== "",
    placeholderData: keepPreviousData,
  });
  const choices = useMemo<Choice[]>(
    () => [
      ...places.filter(({ name }) => name.toLowerCase().includes(typed.toLowerCase())).map(({ path, name, icon }) => ({ value: path, text: name, icon })),
      ...(typed.trim() === "" ? [] : [{ value: `/search?${new URLSearchParams({ q: typed.trim() })}`, text: words.go.search(typed.trim()), icon: Search }]),
      ...(files.data?.items ?? []).map((file) => ({ value: `/files/${file.id}`, text: file.name, icon: FileText })),
      ...((typed !== "" && matters.data?.items) || []).map((matter) => ({ value: `/matters/${matter.id}`, text: matter.name, icon: Briefcase })),
    ],
    [places, typed, files.data, matters.data],
  );
  const lead = (path: string): void => {
    close();
    route(path);
  };
  return <Choose label={words.go.placeholder} choices={choices} typed={typed} type={type} choose={lead} none={files.isPending ? words.loading : words.go.none} />;
}
