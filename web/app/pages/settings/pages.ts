/** The pages of the settings; some are for admins of the team only. */
const settingsPages = [
  { name: "people" },
  { name: "names" },
  { name: "keys" },
  { name: "accounts", manage: true },
  { name: "webhooks", manage: true },
  { name: "labels" },
  { name: "fields" },
  { name: "models" },
  { name: "flags" },
  { name: "audit" },
  { name: "trash" },
] as const satisfies { name: string; manage?: true }[];

export type SettingsPage = (typeof settingsPages)[number]["name"];

/** Those that somebody who may manage the team, or may not, is shown. */
export const settingsFor = (manage: boolean): SettingsPage[] => settingsPages.filter((page) => manage || !("manage" in page)).map(({ name }) => name);
