import * as combobox from "@zag-js/combobox";
import { normalizeProps, useMachine } from "@zag-js/preact";
import type { LucideIcon } from "lucide-preact";
import { useId, useMemo } from "preact/hooks";

export interface Choice {
  value: string;
  text: string;
  note?: string;
  icon?: LucideIcon;
}

/** A field to type in, with a list below it that follows; Enter takes one. */
export function Choose({ label, choices, typed, type, choose, none }: { label: string; choices: Choice[]; typed: string; type: (text: string) => void; choose: (value: string) => void; none: string }) {
  const collection = useMemo(() => combobox.collection({ items: choices, itemToString: (c) => c.text, itemToValue: (c) => c.value }), [choices]);
  const service = useMachine(combobox.machine as combobox.Machine<Choice>, {
    id: useId(),
    collection,
    open: true,
    inputValue: typed,
    selectionBehavior: "preserve",
    inputBehavior: "autohighlight",
    disableLayer: true,
    onInputValueChange: ({ inputValue }) => type(inputValue),
    onValueChange: ({ value: [value] }) => value !== undefined && choose(value),
  });
  const api = combobox.connect(service, normalizeProps);
  return (
    <div {...api.getRootProps()} class="choose">
      <label {...api.getLabelProps()} class="unseen">{label}</label>
      <div {...api.getControlProps()}>
        <input {...api.getInputProps()} class="choose-input" placeholder={label} data-autofocus />
      </div>
      <ul {...api.getContentProps()} class="choose-list">
        {choices.map((item) => (
          <li key={item.value} {...api.getItemProps({ item })} class="menu-item">
            {item.icon && <item.icon size={16} class="icon" />}
            <span class="cut">{item.text}</span>
            {item.note && <span class="quiet">{item.note}</span>}
          </li>
        ))}
      </ul>
      {choices.length === 0 && <p class="menu-label">{none}</p>}
    </div>
  );
}
