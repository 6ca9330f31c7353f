import { useRoute } from "preact-iso";
import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useMay } from "../../data/people.js";
import { later } from "../../parts/later.js";
import { Empty } from "../../parts/states.js";
import { useTitle } from "../../parts/title.js";
import { words } from "../../words.js";
import { settingsFor, type SettingsPage } from "./pages.js";

const w = words.settings;

/** Each is fetched when it is opened. */
const pages: Record<SettingsPage, ComponentType> = {
  people: later(() => import("./people.js").then((page) => page.People)),
  names: later(() => import("./names.js").then((page) => page.Names)),
  keys: later(() => import("./keys.js").then((page) => page.Keys)),
  accounts: later(() => import("./accounts.js").then((page) => page.Accounts)),
  webhooks: later(() => import("./webhooks.js").then((page) => page.Webhooks)),
  labels: later(() => import("./labels.js").then((page) => page.Labels)),
  fields: later(() => import("./fields.js").then((page) => page.Fields)),
  models: later(() => import("./models.js").then((page) => page.Models)),
  flags: later(() => import("./flags.js").then((page) => page.Flags)),
  audit: later(() => import("./audit.js").then((page) => page.Audit)),
  trash: later(() => import("./trash.js").then((page) => page.Trash)),
};

/** What is set for the team. */
export function Settings() {
  const may = useMay();
  const { params } = useRoute();
  const offered = settingsFor(may.manage);
  const chosen = offered.find((name) => name === (params["page"] || "people"));
  const Chosen = chosen && pages[chosen];
  const nav = useRef<HTMLElement>(null);
  useEffect(() => nav.current?.querySelector("[aria-current]")?.scrollIntoView({ inline: "nearest", block: "nearest" }), [chosen]); // on a narrow screen not all are in sight
  useTitle(w.title);
  return (
    <div class="settings">
      <nav ref={nav} aria-label={w.title}>
        {offered.map((name) => (
          <a key={name} href={`/settings/${name}`} aria-current={name === chosen ? "page" : undefined}>{w.pages[name]}</a>
        ))}
      </nav>
      <div class="settings-page" tabIndex={0} role="group" aria-label={chosen ? w.pages[chosen] : w.title}>
        {Chosen ? <Chosen /> : <Empty title={words.error.gone}><p>{words.error.goneText}</p></Empty>}
      </div>
    </div>
  );
}
