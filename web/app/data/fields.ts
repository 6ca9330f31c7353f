import { useQuery } from "@tanstack/preact-query";
import { useMemo } from "preact/hooks";
import { api, cache, type Schemas } from "./client.js";
import type { Span } from "./document.js";
import { renew } from "./live.js";
import { delivered } from "./outbox.js";

export type Field = Schemas["Field"];
export type FieldMark = Schemas["FieldMark"];
export const fieldKinds: Field["kind"][] = ["text", "number", "date", "money", "choice"];

/** The fields that the team declared. Their values are facts of files. */
export const useFields = () => useQuery({ queryKey: ["fields"], queryFn: async ({ signal }) => (await api.listFields({ signal })).items, staleTime: 5 * 60_000 });

/** The names of the fields, by their keys. */
export function useFieldNames(): Map<string, string> {
  const { data } = useFields();
  return useMemo(() => new Map(data?.map(({ key, name }) => [key, name])), [data]);
}

/** A field with what was learned of it; "" is none. */
export const useField = (key: string) => useQuery({ queryKey: ["fields", key], queryFn: ({ signal }) => api.getField({ path: { key }, signal }), enabled: key !== "" });

/** Declares a field, once for each idempotency key. */
export async function declareField(body: Schemas["CreateFieldRequest"], once: string): Promise<Field> {
  const field = await api.createField({ header: { "Idempotency-Key": once }, body });
  cache.setQueryData<Field[]>(["fields"], (all) => all && [...all.filter(({ key }) => key !== field.key), field]);
  renew("fields");
  return field;
}

/** Marks a value of a field in a file: words of it, another value for them, or a value without words. It is sent once the service answers. */
export async function markField({ key }: Pick<Field, "key">, fileId: string, span: Span | null, value: string, once: string): Promise<FieldMark> {
  try {
    return await delivered(() => api.createFieldMark({ path: { key }, header: { "Idempotency-Key": once }, body: { fileId, ...(span && { span }), ...(value !== "" && { value }) } }));
  } finally {
    renew("file", "files", "fields");
  }
}

export async function unmarkField({ field, id }: FieldMark): Promise<void> {
  try {
    await api.deleteFieldMark({ path: { key: field, markId: id } });
  } finally {
    renew("file", "files", "fields");
  }
}

/** The mark that a value of a file comes from, if people made one. */
export async function markOf(fileId: string, key: string, { value, spans }: Pick<Schemas["Attribute"], "value" | "spans">): Promise<FieldMark | undefined> {
  const { items } = await api.listFieldMarks({ path: { key }, query: { fileId, limit: 500 } });
  const here = items.filter((mark) => mark.value === value);
  return here.find(({ place }) => place?.start === spans[0]?.start) ?? here[0];
}
