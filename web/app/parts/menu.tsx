import * as menu from "@zag-js/menu";
import { normalizeProps, useMachine } from "@zag-js/preact";
import { Check, type LucideIcon } from "lucide-preact";
import type { ComponentChildren, JSX } from "preact";
import { useCallback, useId } from "preact/hooks";

/** One line of a menu: something to do, a choice that is checked or not, a heading, or a line where it has no text. */
export interface Entry {
  text?: ComponentChildren;
  icon?: LucideIcon;
  checked?: boolean;
  heading?: boolean;
  disabled?: boolean;
  /** The menu stays open, for the next choice. */
  stays?: boolean;
  act?: () => void;
}

/** A button that opens a menu. */
export function Menu({ label, class: name = "button", entries, children }: { label?: string | undefined; class?: string; entries: Entry[]; children: ComponentChildren }) {
  const [api, opened] = useMenu(() => entries);
  return (
    <>
      <button {...api.getTriggerProps()} class={name} aria-label={label}>
        {children}
      </button>
      {opened}
    </>
  );
}

/** One menu for the buttons of many rows: a button takes the properties that `trigger` has for its row, and `opened` is shown once beside them. */
export function useRowMenu(entriesOf: (row: string) => Entry[]): { trigger: (row: string) => JSX.ButtonHTMLAttributes; opened: JSX.Element } {
  const [api, opened] = useMenu((row) => (row === null ? [] : entriesOf(row)));
  // As long as it is the same, no row has to be rendered anew.
  const trigger = useCallback((row: string) => api.getTriggerProps({ value: row }) as JSX.ButtonHTMLAttributes, [api.open, api.triggerValue]);
  return { trigger, opened };
}

function useMenu(entriesOf: (trigger: string | null) => Entry[]): [menu.Api, JSX.Element] {
  const service = useMachine(menu.machine, {
    id: useId(),
    loopFocus: true,
    positioning: { placement: "bottom-start", gutter: 4 },
    onSelect: ({ value }) => entries[Number(value)]?.act?.(),
  });
  const api = menu.connect(service, normalizeProps);
  const entries = entriesOf(api.triggerValue);
  const opened = (
    <div {...api.getPositionerProps()}>
      {api.open && (
        <div {...api.getContentProps()} class="menu">
          {entries.map((entry, i) => {
            const value = String(i);
            if (entry.text === undefined) return <hr key={value} class="menu-line" />;
            if (entry.heading) return <div key={value} class="menu-label">{entry.text}</div>;
            const props =
              entry.checked === undefined
                ? api.getItemProps({ value, disabled: entry.disabled ?? false })
                : api.getOptionItemProps({ value, type: "checkbox", checked: entry.checked, disabled: entry.disabled ?? false, closeOnSelect: !entry.stays });
            return (
              <div key={value} {...props} class="menu-item">
                {entry.checked !== undefined ? <Check size={16} class={entry.checked ? "icon" : "icon hidden"} /> : entry.icon && <entry.icon size={16} class="icon" />}
                <span>{entry.text}</span>
              </div>
            );
          })}
        </div>
      )}
    </div>
  );
  return [api, opened];
}
