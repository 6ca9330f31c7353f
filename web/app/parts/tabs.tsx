import { normalizeProps, useMachine } from "@zag-js/preact";
import * as tabs from "@zag-js/tabs";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

/** Panels one of which is shown. */
export function Tabs<T extends string>({ label, all, chosen, choose, children }: { label: string; all: { value: T; text: ComponentChildren }[]; chosen: T; choose: (value: T) => void; children: ComponentChildren }) {
  const service = useMachine(tabs.machine, { id: useId(), value: chosen, onValueChange: ({ value }) => choose(value as T) });
  const api = tabs.connect(service, normalizeProps);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest", inline: "nearest" }), [chosen]);
  return (
    <div {...api.getRootProps()} class="tabs">
      <div {...api.getListProps()} ref={list} class="tab-list" aria-label={label}>
        {all.map(({ value, text }) => (
          <button key={value} {...api.getTriggerProps({ value })} class="tab">{text}</button>
        ))}
      </div>
      <div {...api.getContentProps({ value: chosen })} class="tab-panel">{children}</div>
    </div>
  );
}
