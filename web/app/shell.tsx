import { Activity, BookOpen, Briefcase, ChartColumn, ChevronsUpDown, CircleUser, CloudOff, Ellipsis, Inbox, Keyboard, ListChecks, LogOut, Search, Settings, Shapes, SunMoon } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { resume } from "./data/chats.js";
import { api, cache, type Schemas } from "./data/client.js";
import { useTeamStatus } from "./data/files.js";
import { connection } from "./data/live.js";
import { waiting } from "./data/outbox.js";
import { nameOf, useMay } from "./data/people.js";
import { useStore } from "./data/store.js";
import { tellTabs } from "./data/tabs.js";
import { type Theme, theme } from "./data/theme.js";
import { useKeys } from "./keys.js";
import { Go, type Goal } from "./parts/go.js";
import { KeyList } from "./parts/key_list.js";
import { Menu } from "./parts/menu.js";
import { Operations } from "./parts/operations.js";
import { attempt, Toasts } from "./parts/toasts.js";
import { Uploads } from "./parts/uploads.js";
import { words } from "./words.js";

type Session = Schemas["SignedIn"];

const everywhere = [
  { path: "/", name: words.nav.inbox, icon: Inbox, key: "g i" },
  { path: "/review", name: words.nav.review, icon: ListChecks, key: "g r", change: true },
  { path: "/search", name: words.nav.search, icon: Search, key: "g s" },
  { path: "/matters", name: words.nav.matters, icon: Briefcase, key: "g m" },
  { path: "/types", name: words.nav.types, icon: Shapes, key: "g t" },
  { path: "/questions", name: words.nav.questions, icon: ChartColumn, key: "g q" },
  { path: "/settings", name: words.nav.settings, icon: Settings, key: "g e" },
  { path: "/operations", name: words.nav.operations, icon: Activity, key: "g o", operators: true },
];

/** For how many places a phone has room in its bar; a menu leads to the others. */
const onPhone = 4;

/** What is around every page. */
export function Shell({ session, children }: { session: Session; children: ComponentChildren }) {
  const { path, route } = useLocation();
  const may = useMay();
  const places = useMemo(() => everywhere.filter(({ change, operators }) => (!change || may.change) && (!operators || session.operator)), [may.change, session.operator]);
  const [going, go] = useState(false);
  const [listing, list] = useState(false);
  const isAt = (place: { path: string }): boolean => (place.path === "/" ? path === "/" : `${path}/`.startsWith(`${place.path}/`));
  const goals = useMemo(() => [...places, ...actionsOf(session, () => list(true))], [places, session]);
  useEffect(() => resume(session.user.id), [session.user.id]);
  useKeys({
    "?": () => list(true),
    "Control+k": () => go(true),
    ...Object.fromEntries(places.map((place) => [place.key, () => route(place.path)])),
  });
  return (
    <div class="shell">
      <a class="skip" href="#content">{words.skip}</a>
      <header class="top">
        <a class="brand" href="/">
          <img src="/icon.svg" alt="" width="20" height="20" />
          <span>{words.product}</span>
        </a>
        <TeamMenu session={session} />
        <button class="go" onClick={() => go(true)} aria-keyshortcuts="Control+K">
          <Search size={16} class="icon" />
          <span>{words.top.go}</span>
          <kbd>Ctrl K</kbd>
        </button>
        <Figures />
        <AccountMenu session={session} list={() => list(true)} />
      </header>
      <Lost />
      <nav class="side" aria-label={words.nav.label}>
        {places.map((place, i) => (
          <a key={place.path} href={place.path} class={i < onPhone ? undefined : "not-on-phone"} aria-current={isAt(place) ? "page" : undefined}>
            <place.icon size={16} class="icon" />
            <span>{place.name}</span>
          </a>
        ))}
        <Menu class={places.slice(onPhone).some(isAt) ? "others here" : "others"} entries={places.slice(onPhone).map((place) => ({ text: place.name, icon: place.icon, act: () => route(place.path) }))}>
          <Ellipsis size={16} class="icon" />
          <span>{words.nav.others}</span>
        </Menu>
      </nav>
      <main id="content" tabIndex={-1}>{children}</main>
      <div class="running">
        <Operations />
        <Uploads />
      </div>
      <Toasts />
      <Go open={going} close={() => go(false)} goals={goals} />
      <KeyList open={listing} close={() => list(false)} />
    </div>
  );
}

/** How many files are read now, and how many failed: each leads to them. */
function Figures() {
  const { data } = useTeamStatus();
  const by = data?.filesByStatus ?? {};
  const reading = (by["queued"] ?? 0) + (by["processing"] ?? 0);
  const failed = by["failed"] ?? 0;
  return (
    <span class="figures">
      {reading > 0 && <a href="/?status=queued&status=processing">{words.top.reading(reading)}</a>}
      {failed > 0 && <a class="bad" href="/?status=failed">{words.top.failed(failed)}</a>}
    </span>
  );
}

function Lost() {
  const state = useStore(connection);
  const kept = useStore(waiting);
  return (
    <div role="status" class={state === "lost" ? "lost" : "lost none"}>
      {state === "lost" && (
        <>
          <CloudOff size={16} class="icon" /> {words.top.lost} {kept > 0 && words.top.kept(kept)}
        </>
      )}
    </div>
  );
}

const switchTeam = (teamId: string): void =>
  void attempt(async () => {
    await api.switchTeam({ body: { teamId } });
    tellTabs();
    cache.clear();
    location.assign("/"); // what is open is another team's
  });

const signOut = (): void =>
  void attempt(async () => {
    const { providerLogoutUrl } = await api.logout();
    tellTabs();
    location.assign(providerLogoutUrl ?? "/");
  });

const showAPI = (): void => void window.open("/docs", "_blank", "noreferrer");

const themes: Record<Theme, string> = { system: words.top.system, light: words.top.light, dark: words.top.dark };

/** What the menus do, for the box that leads anywhere. */
const actionsOf = ({ team, teams }: Session, list: () => void): Goal[] => [
  ...(Object.keys(themes) as Theme[]).map((one): Goal => ({ name: words.go.theme(themes[one]), icon: SunMoon, act: () => theme.choose(one) })),
  ...teams.filter(({ id }) => id !== team.id).map(({ id, name }): Goal => ({ name: words.go.team(name), icon: ChevronsUpDown, act: () => switchTeam(id) })),
  { name: words.top.keys, icon: Keyboard, act: list },
  { name: words.top.api, icon: BookOpen, act: showAPI },
  { name: words.top.signOut, icon: LogOut, act: signOut },
];

function TeamMenu({ session }: { session: Session }) {
  const entries = session.teams.map((team) => ({
    text: team.kind === "personal" ? `${team.name} · ${words.top.personal}` : team.name,
    checked: team.id === session.team.id,
    act: () => team.id !== session.team.id && switchTeam(team.id),
  }));
  return (
    <Menu label={`${words.top.team}: ${session.team.name}`} class="bare team" entries={[{ text: words.top.switchTeam, heading: true }, ...entries]}>
      <span class="cut">{session.team.name}</span>
      <ChevronsUpDown size={14} class="icon" />
    </Menu>
  );
}

function AccountMenu({ session, list }: { session: Session; list: () => void }) {
  const chosen = useStore(theme);
  return (
    <Menu
      label={`${words.top.account}: ${nameOf(session.user)}`}
      class="bare"
      entries={[
        { text: session.user.email, heading: true },
        {},
        { text: words.top.theme, heading: true },
        ...(Object.keys(themes) as Theme[]).map((one) => ({ text: themes[one], checked: one === chosen, act: () => theme.choose(one) })),
        {},
        { text: words.top.keys, icon: Keyboard, act: list },
        { text: words.top.api, icon: BookOpen, act: showAPI },
        { text: words.top.signOut, icon: LogOut, act: signOut },
      ]}
    >
      <CircleUser size={20} class="icon" />
    </Menu>
  );
}
