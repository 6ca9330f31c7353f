import { useEffect, useRef } from "preact/hooks";

/** What keys do: "j", "Enter", "Control+k", or two in a row, "g i". */
export type Keys = Record<string, (event: KeyboardEvent) => void>;

const places: { current: Keys }[] = [];
let before = "";
let forget: ReturnType<typeof setTimeout> | undefined;

const actOf = (name: string): ((event: KeyboardEvent) => void) | undefined => places.findLast(({ current }) => current[name])?.current[name];

function pressed(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  const typing = target.matches("input:not([type=checkbox]), textarea, select, [contenteditable]");
  const control = event.ctrlKey || event.metaKey;
  if (event.defaultPrevented || event.altKey || (typing && !control && event.key !== "Escape")) return;
  // A button that has the focus is pressed, a link followed.
  if ((event.key === "Enter" || event.key === " ") && !control && target.closest("a, button, summary, input")) return;
  // In a dialog or menu keys are its own.
  if (!control && target.closest("[role=dialog], [role=menu], [role=listbox]")) return;
  const name = (control ? "Control+" : "") + event.key;
  // Two in a row mean the same on every page, whatever the second one does alone on this.
  const act = (before !== "" && actOf(`${before} ${name}`)) || actOf(name);
  if (act) {
    before = "";
    event.preventDefault();
    act(event);
    return;
  }
  clearTimeout(forget);
  before = control ? "" : name;
  forget = setTimeout(() => (before = ""), 1000);
}

/** Has keys do something while a part is shown; those of the part shown last come first. */
export function useKeys(keys: Keys): void {
  const place = useRef(keys);
  place.current = keys;
  useEffect(() => {
    if (places.length === 0) document.addEventListener("keydown", pressed);
    places.push(place);
    return () => {
      places.splice(places.indexOf(place), 1);
      if (places.length === 0) document.removeEventListener("keydown", pressed);
    };
  }, []);
}
