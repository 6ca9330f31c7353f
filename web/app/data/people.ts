import { useQuery } from "@tanstack/preact-query";
import { api, type Schemas } from "./client.js";
import { gathered } from "./document.js";

export type Role = Schemas["TeamRole"];

/** What somebody is called. */
export const nameOf = (person: { name: string; email: string }): string => person.name || person.email;

export const useSessionQuery = () => useQuery({ queryKey: ["session"], queryFn: ({ signal }) => api.getSession({ signal }) });

/** Who is signed in, and in which team. The first page waits for it, so it is there. */
export const useSession = (): Schemas["SignedIn"] | undefined => useSessionQuery().data;

/** Whether the caller may change things, and whether they manage the team: what a role may not do is not offered. */
export function useMay(): { change: boolean; manage: boolean } {
  const role = useSession()?.team.role;
  return { change: role === "member" || role === "admin", manage: role === "admin" };
}

/** Under which names the team makes contracts: its counterparties are the others. */
export const useTeamNames = (asked = true) => useQuery({ queryKey: ["names"], queryFn: ({ signal }) => api.getTeamNames({ signal }), enabled: asked });

export const usePeople = () => useQuery({ queryKey: ["people"], queryFn: ({ signal }) => gathered(api.all("listTeamUsers", { query: { limit: 500 }, signal })) });
