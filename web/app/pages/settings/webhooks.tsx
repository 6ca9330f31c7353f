import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { useQueryOf } from "../../address.js";
import { api, cache, type Schemas } from "../../data/client.js";
import { gathered } from "../../data/document.js";
import { refreshed } from "../../data/live.js";
import { ago, at } from "../../format.js";
import { Ask } from "../../parts/ask.js";
import { attempt, say, useAttempt } from "../../parts/toasts.js";
import { words } from "../../words.js";
import { Listing, Secret } from "./parts.js";

const w = words.settings;

/** Addresses that are told of events, and what each was sent. */
export function Webhooks() {
  const [query, change] = useQueryOf();
  const webhooks = useQuery({ queryKey: ["webhooks"], queryFn: ({ signal }) => gathered(api.all("listWebhooks", { query: { limit: 100 }, signal })) });
  const [url, type] = useState("");
  const [secret, show] = useState("");
  const tried = useAttempt();
  const [removing, remove] = useState<Schemas["Webhook"]>();
  const renewed = () => refreshed("webhooks");
  const opened = webhooks.data?.find(({ id }) => id === query.get("id"));
  const make = (event: Event): void => {
    event.preventDefault();
    void attempt(async () => {
      const made = await api.createWebhook({ body: { url } });
      type("");
      show(made.secret ?? "");
      await renewed();
    });
  };
  return (
    <>
      <h1>{w.pages.webhooks}</h1>
      <form class="form inline" onSubmit={make}>
        <label class="long">{w.url}<input type="url" required maxLength={2000} placeholder="https://" value={url} onInput={(event) => type(event.currentTarget.value)} /></label>
        <button class="button primary">{w.makeWebhook}</button>
      </form>
      <Listing
        label={w.pages.webhooks}
        of={webhooks}
        none={w.webhooksNone}
        columns={[{ text: w.url }, { text: w.active }, { text: w.failures, class: "number wide" }, { text: "" }]}
        row={(one) => (
          <tr key={one.id}>
            <th scope="row">{one.url}</th>
            <td>
              <input
                type="checkbox"
                aria-label={`${w.active}: ${one.url}`}
                checked={one.active}
                onChange={() => void tried(async () => (await api.updateWebhook({ path: { id: one.id }, body: { active: !one.active } }), await renewed()))}
              />
            </td>
            <td class="number wide">{one.failures.toLocaleString()}</td>
            <td class="number">
              <button class="link" aria-label={`${w.deliveries}: ${one.url}`} aria-expanded={one === opened} onClick={() => change({ id: one === opened ? undefined : one.id })}>{w.deliveries}</button>
              <button class="link" aria-label={`${w.test}: ${one.url}`} onClick={() => void attempt(async () => (await api.pingWebhook({ path: { id: one.id } }), say(w.tested), await renewed()))}>{w.test}</button>
              <button class="link" aria-label={`${w.delete}: ${one.url}`} onClick={() => remove(one)}>{w.delete}</button>
            </td>
          </tr>
        )}
      />
      {opened && <Deliveries webhook={opened} />}
      {secret && <Secret title={w.newSecret} secret={secret} close={() => show("")} />}
      {removing && (
        <Ask
          title={w.deleteWebhook(removing.url)}
          text={w.deleteWebhookText}
          yes={w.delete}
          close={() => remove(undefined)}
          act={async (signal) => {
            await api.deleteWebhook({ path: { id: removing.id }, signal });
            await renewed();
          }}
        />
      )}
    </>
  );
}

function Deliveries({ webhook }: { webhook: Schemas["Webhook"] }) {
  const key = ["webhooks", webhook.id, "deliveries"];
  const deliveries = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => (await api.listWebhookDeliveries({ path: { id: webhook.id }, query: { limit: 100 }, signal })).items,
    refetchInterval: ({ state }) => (state.data?.some((one) => one.state === "pending") ? 2000 : false),
  });
  return (
    <section>
      <h2>{w.deliveriesOf(webhook.url)}</h2>
      <Listing
        label={w.deliveries}
        of={deliveries}
        none={w.deliveriesNone}
        columns={[{ text: w.event }, { text: w.state }, { text: w.answer, class: "wide" }, { text: w.attempts, class: "number wide" }, { text: w.when, class: "wide" }, { text: "" }]}
        row={(one) => (
          <tr key={one.id}>
            <th scope="row">{one.type}</th>
            <td class={one.state === "failed" ? "bad" : ""}>{w.states[one.state]}</td>
            <td class="wide">{one.error ?? one.statusCode ?? ""}</td>
            <td class="number wide">{one.attempts}</td>
            <td class="wide"><time dateTime={one.createdAt} title={at(one.createdAt)}>{ago(one.createdAt)}</time></td>
            <td class="number">
              {one.state !== "pending" && (
                <button
                  class="link"
                  aria-label={`${w.replay}: ${one.type}`}
                  onClick={() =>
                    void attempt(async () => {
                      await api.replayWebhookDelivery({ path: { id: webhook.id, deliveryId: one.id } });
                      await cache.invalidateQueries({ queryKey: key });
                    })
                  }
                >
                  {w.replay}
                </button>
              )}
            </td>
          </tr>
        )}
      />
    </section>
  );
}
