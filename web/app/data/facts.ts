import type { Schemas } from "./client.js";
import { date, duration, named } from "../format.js";
import { words } from "../words.js";

type Attribute = Schemas["Attribute"];

/** A fact with all its values, as people read it. */
export interface Fact {
  key: string;
  name: string;
  values: (Attribute & { shown: string })[];
}

const first = Object.keys(words.document.facts);

/** Attributes by their keys: those that everybody asks for come first. */
export function factsOf(attributes: Attribute[]): Fact[] {
  const facts = new Map<string, Fact>();
  for (const attribute of attributes) {
    const fact = facts.get(attribute.key) ?? { key: attribute.key, name: words.document.facts[attribute.key] ?? named(attribute.key), values: [] };
    fact.values.push({ ...attribute, shown: shown(attribute) });
    facts.set(attribute.key, fact);
  }
  const place = ({ key }: Fact): number => (first.indexOf(key) + first.length + 1) % (first.length + 1);
  return [...facts.values()].sort((a, b) => place(a) - place(b));
}

function shown({ value, normalized: { date: day, duration: long, name, role, readings } }: Attribute): string {
  if (day) return date(day);
  if (long) return duration(long);
  if (readings && readings.length > 0) return `${value} (${readings.join(" / ")})`;
  return role ? `${name ?? value} (${role})` : (name ?? value);
}
