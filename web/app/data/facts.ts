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

/** Attributes of a file by their keys, with the names of those that the team declared: those that everybody asks for come first. */
export function factsOf(attributes: Attribute[], file: Schemas["File"], own: Map<string, string>): Fact[] {
  const facts = new Map<string, Fact>();
  for (const attribute of withParties(attributes, file)) {
    const fact = facts.get(attribute.key) ?? { key: attribute.key, name: own.get(attribute.key) ?? words.document.facts[attribute.key] ?? named(attribute.key), values: [] };
    fact.values.push({ ...attribute, shown: shown(attribute) });
    facts.set(attribute.key, fact);
  }
  const place = ({ key }: Fact): number => (first.indexOf(key) + first.length + 1) % (first.length + 1);
  return [...facts.values()].sort((a, b) => place(a) - place(b));
}

/** Attributes with the parties that a person set, where somebody did: they are of the file. */
function withParties(attributes: Attribute[], { parties, partiesSource }: Schemas["File"]): Attribute[] {
  if (partiesSource === "read") return attributes;
  const read = new Map(attributes.filter(({ key }) => key === "party").map((party) => [party.value, party]));
  const set = parties.map(({ name, role }): Attribute => ({
    key: "party",
    value: name,
    normalized: { name, ...(role && { role }) },
    confidence: 1,
    needsReview: false,
    source: "human",
    spans: read.get(name)?.spans ?? [],
  }));
  return [...attributes.filter(({ key }) => key !== "party"), ...set];
}

function shown({ value, normalized: { date: day, duration: long, name, role, readings } }: Attribute): string {
  if (day) return date(day);
  if (long) return duration(long);
  if (readings && readings.length > 0) return `${value} (${readings.join(" / ")})`;
  return role ? `${name ?? value} (${role})` : (name ?? value);
}
