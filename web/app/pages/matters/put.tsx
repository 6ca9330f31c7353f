import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { Plus } from "lucide-preact";
import { useMemo, useState } from "preact/hooks";
import { api } from "../../data/client.js";
import { putBack, putFiles } from "../../data/matters.js";
import { Choose } from "../../parts/choose.js";
import { Dialog } from "../../parts/dialog.js";
import { attempt, say, sayFailed } from "../../parts/toasts.js";
import { words } from "../../words.js";

/** Asks which matter files are to be put into; a name that there is none of makes one. */
export function PutIntoMatter({ ids, close }: { ids: string[]; close: (done: boolean) => void }) {
  return (
    <Dialog open close={() => close(false)} title={words.matters.put} class="go-box" bare>
      <Which ids={ids} close={close} />
    </Dialog>
  );
}

function Which({ ids, close }: { ids: string[]; close: (done: boolean) => void }) {
  const [typed, type] = useState("");
  const matters = useQuery({
    queryKey: ["matters", "names", typed],
    queryFn: ({ signal }) => api.listMatterNames({ query: { limit: 20, ...(typed !== "" && { q: typed }) }, signal }),
    placeholderData: keepPreviousData,
  });
  const found = matters.data?.items;
  const choices = useMemo(
    () => [
      ...(found ?? []).map(({ id, name }) => ({ value: id, text: name })),
      ...(typed.trim() !== "" && !found?.some(({ name }) => name === typed.trim()) ? [{ value: "new", text: words.matters.makeNamed(typed.trim()), icon: Plus }] : []),
    ],
    [found, typed],
  );
  const choose = (value: string): void => {
    close(true);
    void attempt(async () => {
      const made = value === "new" ? await api.createMatter({ body: { name: typed.trim() } }) : undefined;
      const id = made?.id ?? value;
      const name = made?.name ?? found?.find((one) => one.id === id)?.name ?? "";
      const { changed, error } = await putFiles(ids, id);
      if (changed.length > 0) say(words.matters.added(changed.length, name), () => void attempt(() => putBack(changed, id)));
      else if (error === undefined) say(words.matters.already(name));
      if (error !== undefined) sayFailed(error);
    });
  };
  return <Choose label={words.matters.putWhich} choices={choices} typed={typed} type={type} choose={choose} none={matters.isPending ? words.loading : words.matters.putNone} />;
}
