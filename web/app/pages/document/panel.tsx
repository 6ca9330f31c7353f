import type { Schemas } from "../../data/client.js";
import type { Span } from "../../data/document.js";
import { useChats } from "../../data/chats.js";
import { Conversations, Unread } from "../../parts/conversation.js";
import { Tabs } from "../../parts/tabs.js";
import { words } from "../../words.js";
import { Clauses } from "./clauses.js";
import { Compare } from "./compare.js";
import { Facts } from "./facts.js";
import { History } from "./history.js";
import { Outline } from "./outline.js";

export const tabs = ["facts", "clauses", "outline", "compare", "history", "conversation"] as const;
type Tab = (typeof tabs)[number];

/** What every tab gets: the file, what is picked on its pages, and a function that picks. */
export interface Shown {
  file: Schemas["File"];
  picked: Span | null;
  pick: (span: Span) => void;
}

/** What people say about the file. */
const Conversation = ({ file }: Shown) => <Conversations about={{ fileId: file.id }} name={file.name} />;

const bodies = { facts: Facts, clauses: Clauses, outline: Outline, compare: Compare, history: History, conversation: Conversation };

/** What was found in a file, beside its pages. */
export function Panel({ tab, choose, ...shown }: Shown & { tab: string; choose: (tab: Tab) => void }) {
  const chosen = tabs.find((one) => one === tab) ?? tabs[0];
  const Body = bodies[chosen];
  const unread = (useChats({ fileId: shown.file.id }).data ?? []).reduce((n, chat) => n + chat.unread, 0);
  return (
    <aside class="panel" aria-label={words.document.tabs.label}>
      <Tabs label={words.document.tabs.label} all={tabs.map((value) => ({ value, text: value === "conversation" && unread > 0 ? <>{words.document.tabs[value]} <Unread n={unread} /></> : words.document.tabs[value] }))} chosen={chosen} choose={choose}>
        <Body {...shown} />
      </Tabs>
    </aside>
  );
}
