import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { ArrowDown, ArrowUp, Ellipsis, Pencil, StretchHorizontal, Trash2 } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import { useQueryOf } from "../../address.js";
import { api, cache, type Schemas, status } from "../../data/client.js";
import { renew } from "../../data/live.js";
import { useMay } from "../../data/people.js";
import { Figure, inWords, NotUnderstood, Understood, useAnswer } from "../../parts/answer.js";
import { Dialog } from "../../parts/dialog.js";
import { Help } from "../../parts/help.js";
import { Menu } from "../../parts/menu.js";
import { Empty, Failed, Skeleton } from "../../parts/states.js";
import { attempt, say } from "../../parts/toasts.js";
import { useTitle } from "../../parts/title.js";
import { toTrash } from "../../parts/trash.js";
import { words } from "../../words.js";

type Widget = Schemas["Widget"];

/** Questions in plain words, each answered by a chart, and those that the team keeps. */
export function Questions() {
  const may = useMay();
  const [query, change] = useQueryOf();
  const asked = query.get("ask") ?? "";
  const [typed, type] = useState(asked);
  useEffect(() => type(asked), [asked]);
  useTitle(words.questions.title);
  const { data: answer, error, refetch } = useAnswer(asked, asked !== "");
  const widgets = useQuery({ queryKey: ["widgets"], queryFn: async ({ signal }) => (await api.listWidgets({ signal })).items });
  const keep = ({ kind, query, title }: Schemas["WidgetConfig"]): void =>
    void attempt(async () => {
      await api.createWidget({ body: { kind, query, title } });
      renew("widgets");
      change({ ask: undefined });
      say(words.questions.kept(title));
    });
  return (
    <div class="questions">
      <header class="page-head">
        <h1>{words.questions.title}</h1>
        <form class="search-form ask" onSubmit={(event) => (event.preventDefault(), change({ ask: typed.trim() }))}>
          <input type="search" aria-label={words.questions.ask} placeholder={words.questions.placeholder} maxLength={1000} value={typed} onInput={(event) => type(event.currentTarget.value)} />
          <button class="button primary" disabled={typed.trim() === ""}>{words.questions.button}</button>
        </form>
        <Help title={words.questions.title} text={words.questions.help} request={{ method: "POST", path: "/api/dashboard-widgets/generate-config", body: { prompt: asked || typed } }} />
      </header>
      <div class="report">
        {asked !== "" && (
          <section class="widget answer" aria-label={words.questions.answer}>
            {error && (!answer || status(error) === 422) ? (
              <NotUnderstood error={error} again={() => void refetch()} />
            ) : !answer ? (
              <Skeleton />
            ) : (
              <>
                <header>
                  <h2>{answer.config.title}</h2>
                  <span class="push" />
                  {may.change && <button class="button primary" onClick={() => keep(answer.config)}>{words.questions.keep}</button>}
                </header>
                <Understood question={answer} />
                <Figure config={answer.config} data={answer.preview} />
              </>
            )}
          </section>
        )}
        {widgets.error && !widgets.data && <Failed error={widgets.error} again={() => void widgets.refetch()} />}
        {widgets.isPending && <Skeleton />}
        {widgets.data?.length === 0 && asked === "" && (
          <Empty title={words.questions.none}>
            <p>{words.questions.noneText}</p>
            <ul class="plain">
              {words.questions.examples.map((example) => (
                <li key={example}><button class="button" onClick={() => change({ ask: example })}>{example}</button></li>
              ))}
            </ul>
          </Empty>
        )}
        <div class="widgets">
          {widgets.data?.map((widget, i) => <One key={widget.id} widget={widget} all={widgets.data} index={i} />)}
        </div>
      </div>
    </div>
  );
}

/** A question that is kept, with its present answer. */
function One({ widget, all, index }: { widget: Widget; all: Widget[]; index: number }) {
  const may = useMay();
  const [renaming, rename] = useState(false);
  const [name, type] = useState(widget.title);
  const data = useQuery({ queryKey: ["files", "widget", widget.query], queryFn: () => api.executeWidgetQuery({ body: { query: widget.query } }), placeholderData: keepPreviousData });
  const put = (change: Schemas["UpdateWidgetRequest"]): Promise<unknown> => api.updateWidget({ path: { id: widget.id }, body: change });
  const remove = (): void => toTrash(widget.title, () => api.deleteWidget({ path: { id: widget.id } }), ["widgets"]);
  // The order is laid out anew, so that no two overlap.
  const arrange = (order: Widget[], wide: (one: Widget) => number = (one) => one.position.w): void =>
    void attempt(async () => {
      let [x, y, tall] = [0, 0, 0];
      const placed = order.map((one) => {
        const w = wide(one);
        if (x + w > 12) [x, y, tall] = [0, y + tall, 0];
        const position = { x, y, w, h: one.position.h };
        [x, tall] = [x + w, Math.max(tall, one.position.h)];
        return { ...one, position };
      });
      const before = cache.getQueryData<Widget[]>(["widgets"]);
      cache.setQueryData<Widget[]>(["widgets"], placed);
      try {
        await api.arrangeWidgets({ body: { widgets: placed.map(({ id, position }) => ({ id, position })) } });
      } catch (error) {
        cache.setQueryData(["widgets"], before);
        throw error;
      } finally {
        renew("widgets");
      }
    });
  const moved = (to: number): Widget[] => {
    const order = all.filter(({ id }) => id !== widget.id);
    order.splice(to, 0, widget);
    return order;
  };
  const save = (event: Event): void => {
    event.preventDefault();
    void attempt(async () => {
      await put({ title: name });
      rename(false);
      renew("widgets");
      say(words.questions.kept(name), () => attempt(async () => (await put({ title: widget.title }), renew("widgets"))));
    });
  };
  const broad = widget.position.w > 6;
  return (
    <section class={broad ? "widget broad" : "widget"} aria-labelledby={`widget-${widget.id}`}>
      <header>
        <h2 class="cut" id={`widget-${widget.id}`} title={widget.title}>{widget.title}</h2>
        <Help title={widget.title} text={words.questions.over(data.data?.total ?? 0)} request={{ method: "POST", path: "/api/dashboard-widgets/execute-query", body: { query: widget.query } }} />
        <span class="push" />
        {may.change && (
          <>
            <button class="bare small" disabled={index === 0} aria-label={words.questions.before(widget.title)} onClick={() => arrange(moved(index - 1))}><ArrowUp size={14} class="icon" /></button>
            <button class="bare small" disabled={index === all.length - 1} aria-label={words.questions.after(widget.title)} onClick={() => arrange(moved(index + 1))}><ArrowDown size={14} class="icon" /></button>
            <Menu
              class="bare small"
              label={`${words.more}: ${widget.title}`}
              entries={[
                { text: words.search.rename, icon: Pencil, act: () => (type(widget.title), rename(true)) },
                { text: broad ? words.questions.half : words.questions.whole, icon: StretchHorizontal, act: () => arrange(all, (one) => (one.id === widget.id ? (broad ? 6 : 12) : one.position.w)) },
                {},
                { text: words.files.remove, icon: Trash2, act: remove },
              ]}
            >
              <Ellipsis size={14} class="icon" />
            </Menu>
          </>
        )}
      </header>
      <p class="quiet asks">{inWords(widget.query, data.data)}</p>
      {data.data ? <Figure config={widget} data={data.data} /> : data.error ? <Failed error={data.error} again={() => void data.refetch()} /> : <Skeleton />}
      <Dialog open={renaming} close={() => rename(false)} title={words.search.rename}>
        <form class="unlock" onSubmit={save}>
          <input type="text" required maxLength={200} aria-label={words.search.name} value={name} onInput={(event) => type(event.currentTarget.value)} data-autofocus />
          <button class="button primary">{words.document.save}</button>
        </form>
      </Dialog>
    </section>
  );
}
