import { Ellipsis, LogOut, MessageSquarePlus, Trash2, UserPlus } from "lucide-preact";
import { useMemo, useState } from "preact/hooks";
import { useQueryOf } from "../address.js";
import { type About, begin as beginChat, type Chat, useChats } from "../data/chats.js";
import { api } from "../data/client.js";
import { renew } from "../data/live.js";
import { nameOf, usePeople, useSession } from "../data/people.js";
import { words } from "../words.js";
import { Ask } from "./ask.js";
import { Dialog } from "./dialog.js";
import { Help, readRequest } from "./help.js";
import { Menu } from "./menu.js";
import { Tick } from "./people.js";
import { Failed, Skeleton } from "./states.js";
import { Thread } from "./thread.js";
import { attempt, say } from "./toasts.js";
import { toTrash } from "./trash.js";

const w = words.chat;

/** The conversations about a file or in a matter that one takes part in: one of them, and a way to begin another. */
export function Conversations({ about, name }: { about: About; name: string }) {
  const [query, change] = useQueryOf();
  const chats = useChats(about);
  const [beginning, begin] = useState(false);
  const [begun, note] = useState("");
  if (chats.error && !chats.data) return <Failed error={chats.error} again={() => void chats.refetch()} />;
  if (!chats.data) return <Skeleton />;
  const chat = chats.data.find(({ id }) => id === query.get("chat")) ?? chats.data[0];
  const open = (id: string | undefined): void => change({ chat: id });
  return (
    <div class="conversation">
      {chat && <Head chat={chat} all={chats.data} open={open} begin={() => begin(true)} />}
      {chat && !beginning && <Thread key={chat.id} chat={chat} fileId={"fileId" in about ? about.fileId : undefined} begun={chat.id === begun} />}
      {(!chat || beginning) && (
        <Begin
          about={about}
          name={name}
          {...(chat && { leave: () => begin(false) })}
          begun={(id) => {
            begin(false);
            note(id);
            open(id);
          }}
        />
      )}
    </div>
  );
}

/** How many messages are new. */
export const Unread = ({ n }: { n: number }) => <span class="chip unread" title={w.unreadOf(n)}>{n < 100 ? n.toLocaleString() : "99+"}</span>;

const titleOf = ({ name, participants }: Chat): string => name || participants.map(nameOf).join(", ");

/** Which conversation is shown, who takes part in it, and what can be done with it. */
function Head({ chat, all, open, begin }: { chat: Chat; all: Chat[]; open: (id: string | undefined) => void; begin: () => void }) {
  const me = useSession()?.user.id ?? "";
  const [adding, add] = useState(false);
  const led = chat.createdBy === null || chat.createdBy === me || !chat.participants.some(({ userId }) => userId === chat.createdBy);
  const [leaving, ask] = useState(false);
  const leave = async (signal: AbortSignal): Promise<void> => {
    await api.removeChatParticipant({ path: { chatId: chat.id, userId: me }, signal });
    open(undefined);
    renew("chats");
    say(w.left(titleOf(chat)));
  };
  const people = chat.participants.map(nameOf).join(", ");
  return (
    <header class="conversation-head">
      <div class="conversation-title">
        {all.length > 1 ? (
          <select aria-label={w.which} value={chat.id} onChange={(event) => open(event.currentTarget.value)}>
            {all.map((one) => <option key={one.id} value={one.id}>{one.unread > 0 ? w.withUnread(titleOf(one), one.unread) : titleOf(one)}</option>)}
          </select>
        ) : (
          <strong class="cut" dir="auto" title={titleOf(chat)}>{titleOf(chat)}</strong>
        )}
        <Help title={w.title} text={w.help} request={readRequest(`/api/chats/${chat.id}/messages`, { limit: "50" })} />
      </div>
      <Menu
        label={words.more}
        class="bare"
        entries={[
          { text: w.begin, icon: MessageSquarePlus, act: begin },
          { text: w.add, icon: UserPlus, act: () => add(true) },
          {},
          // The last one to leave takes the conversation along.
          ...(chat.participants.length > 1 ? [{ text: w.leave, icon: LogOut, act: () => ask(true) }] : []),
          ...(led ? [{ text: w.removeChat, icon: Trash2, act: () => toTrash(titleOf(chat), () => api.deleteChat({ path: { chatId: chat.id } }), ["chats"], () => open(undefined)) }] : []),
        ]}
      >
        <Ellipsis size={16} class="icon" />
      </Menu>
      <p class="quiet cut" title={people} dir="auto">{people}</p>
      {leaving && <Ask title={w.leaveTitle(titleOf(chat))} text={w.leaveText} yes={w.leave} act={leave} close={() => ask(false)} />}
      {adding && <Add chat={chat} close={() => add(false)} />}
    </header>
  );
}

/** A form that begins a conversation. In a matter its people take part. */
function Begin({ about, name, leave, begun }: { about: About; name: string; leave?: () => void; begun: (id: string) => void }) {
  const me = useSession()?.user.id ?? "";
  const [title, call] = useState([...name].slice(0, 300).join(""));
  const [ticked, tick] = useState<string[]>([]);
  const [busy, be] = useState(false);
  // However often the same is sent, one conversation is begun.
  const key = useMemo(() => crypto.randomUUID(), [title, ticked]);
  const others = useOthers([me]);
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    be(true);
    const chat = await attempt(() => beginChat(about, title.trim(), ticked, key));
    be(false);
    if (chat) begun(chat.id);
  };
  const escape = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    event.preventDefault(); // the form is left, and not the page
    if (leave) leave();
    else (document.activeElement as HTMLElement | null)?.blur();
  };
  return (
    <form class="form begin" onSubmit={(event) => void save(event)} onKeyDown={escape}>
      <p class="quiet">{"matterId" in about ? w.beginMatter : w.beginFile}</p>
      <label>{w.name}<input type="text" maxLength={300} dir="auto" value={title} onInput={(event) => call(event.currentTarget.value)} /></label>
      <Tick legend={w.people} people={others} none={w.nobodyElse} ticked={ticked} tick={tick} />
      <footer>
        {leave && <button class="button" type="button" onClick={leave}>{words.cancel}</button>}
        <button class="button primary" disabled={busy}><MessageSquarePlus size={16} class="icon" /> {w.begin}</button>
      </footer>
    </form>
  );
}

/** The people of the team without some. */
function useOthers(without: string[]) {
  return usePeople().data?.filter(({ id }) => !without.includes(id));
}

function Add({ chat, close }: { chat: Chat; close: () => void }) {
  const [ticked, tick] = useState<string[]>([]);
  const others = useOthers(chat.participants.map(({ userId }) => userId));
  const save = (event: Event): void => {
    event.preventDefault();
    void attempt(async () => {
      for (const userId of ticked) await api.addChatParticipant({ path: { chatId: chat.id }, body: { userId } });
      renew("chats");
      close();
    });
  };
  return (
    <Dialog open close={close} title={w.add}>
      <form class="form" onSubmit={save}>
        <p class="quiet">{w.addText}</p>
        <Tick legend={w.people} people={others} none={w.nobodyElse} ticked={ticked} tick={tick} />
        <footer>
          <button class="button" type="button" onClick={close}>{words.cancel}</button>
          <button class="button primary" disabled={ticked.length === 0}>{w.add}</button>
        </footer>
      </form>
    </Dialog>
  );
}
