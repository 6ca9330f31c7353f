import { Store } from "./store.js";

export type Theme = "system" | "light" | "dark";
const key = "clausemill-theme";

/** Light or dark, as this browser remembers it. */
export const theme = Object.assign(new Store<Theme>((localStorage.getItem(key) as Theme | null) ?? "system"), {
  choose(chosen: Theme): void {
    localStorage.setItem(key, chosen);
    theme.value = chosen;
    theme.apply();
  },
  apply(): void {
    document.documentElement.style.colorScheme = theme.value === "system" ? "light dark" : theme.value;
  },
});
