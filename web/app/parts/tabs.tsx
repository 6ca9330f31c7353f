import { normalizeProps, useMachine } from "@zag-js/preact";
import * as tabs from "@zag-js/tabs";
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

/** Panels one of which is shown. */
export function Tabs<T extends string>({ label, all, chosen, choose, children }: { label: string; all: { value: T; text: ComponentChildren }[]; chosen: T; choose: (value: T) => void; children: ComponentChildren }) {
  const service = useMachine(tabs.machine, { id: useId(), value: chosen, onValueChange: ({ value }) => choose(value as T) });
  const api = tabs.connect(service, normalizeProps);
  return (
    <div {...api.getRootProps()} class="tabs">
      <div {...api.getListProps()} class="tab-list" aria-label={label}>
        {all.map(({ value, text }) => (
          <button key={value} {...api.getTriggerProps({ value })} class="tab">{text}</button>
        ))}
      </div>
      <div {...api.getContentProps({ value: chosen })} class="tab-panel">{children}</div>
    </div>
  );
}
