import { useEffect } from "preact/hooks";
import { lazy, useRoute } from "preact-iso";
import type { ComponentType } from "preact";
import { useMay } from "../../data/people.js";
import { Empty } from "../../parts/states.js";
import { words } from "../../words.js";

const w = words.settings;

/** The pages of the settings, each fetched when it is opened; some are for admins of the team only. */
const pages: { name: keyof typeof w.pages; page: ComponentType; manage?: true }[] = [
  { name: "people", page: lazy(() => import("./people.js").then((page) => page.People)) },
  { name: "keys", page: lazy(() => import("./keys.js").then((page) => page.Keys)) },
  { name: "accounts", page: lazy(() => import("./accounts.js").then((page) => page.Accounts)), manage: true },
  { name: "webhooks", page: lazy(() => import("./webhooks.js").then((page) => page.Webhooks)), manage: true },
  { name: "labels", page: lazy(() => import("./labels.js").then((page) => page.Labels)) },
  { name: "models", page: lazy(() => import("./models.js").then((page) => page.Models)) },
  { name: "flags", page: lazy(() => import("./flags.js").then((page) => page.Flags)) },
  { name: "audit", page: lazy(() => import("./audit.js").then((page) => page.Audit)) },
  { name: "trash", page: lazy(() => import("./trash.js").then((page) => page.Trash)) },
];

/** What is set for the team. */
export function Settings() {
  const may = useMay();
  const { params } = useRoute();
  const offered = pages.filter(({ manage }) => !manage || may.manage);
  const name = params["page"] || "people";
  const chosen = offered.find((page) => page.name === name);
  useEffect(() => {
    document.title = `${w.title} · ${words.product}`;
    return () => void (document.title = words.product);
  }, []);
  return (
    <div class="settings">
      <nav aria-label={w.title}>
        {offered.map((page) => (
          <a key={page.name} href={`/settings/${page.name}`} aria-current={page === chosen ? "page" : undefined}>{w.pages[page.name]}</a>
        ))}
      </nav>
      <div class="settings-page" tabIndex={0} role="group" aria-label={chosen ? w.pages[chosen.name] : w.title}>
        {chosen ? <chosen.page /> : <Empty title={words.error.gone}><p>{words.error.goneText}</p></Empty>}
      </div>
    </div>
  );
}
