import type { table } from "./generated/operations.js";
import type { components, operations } from "./generated/schema.js";

/** The shapes of the API by their names: `Schemas["File"]`. */
export type Schemas = components["schemas"];

/** The names of all operations. */
export type OperationId = keyof typeof table & keyof operations;

/** Those that send forms: there are methods of their own for files, and serviceAccount for tokens. */
type ByHand = "uploadFile" | "addFileVersion" | "issueToken";

type Defined<T> = Exclude<T, undefined>;
type Json<T> = T extends { content: { "application/json": infer J } } ? J : never;
type At<K extends OperationId, Status> = Status extends keyof operations[K]["responses"] ? Json<operations[K]["responses"][Status]> : never;

/** What an operation answers: JSON where it can, or else the response with its body. */
export type Answer<K extends OperationId> = [At<K, 200 | 201>] extends [never]
  ? [At<K, 202>] extends [never]
    ? Response
    : At<K, 202>
  : At<K, 200 | 201>;

/** One argument, which may be left out where all of it may. */
type Part<Name extends string, T> = [Defined<T>] extends [never]
  ? unknown
  : Record<never, never> extends Defined<T>
    ? { [N in Name]?: Defined<T> }
    : { [N in Name]: Defined<T> };

type Body<K extends OperationId> = operations[K] extends { requestBody?: infer B } ? (Defined<B> extends { content: { "application/json": infer J } } ? J : undefined) : undefined;

/** What is the same for all operations. */
export interface Options {
  signal?: AbortSignal;
  /** Has a browser send the request even where the page is left meanwhile. */
  keepalive?: boolean;
}

/** What an operation takes: `{ path, query, header, body }`, as far as it has them. */
export type Arguments<K extends OperationId> = Options &
  Part<"path", operations[K]["parameters"]["path"]> &
  Part<"query", operations[K]["parameters"]["query"]> &
  Part<"header", operations[K]["parameters"]["header"]> &
  Part<"body", Body<K>>;

type Taken<K extends OperationId> = Record<never, never> extends Arguments<K> ? [args?: Arguments<K>] : [args: Arguments<K>];

/** One method for each operation. */
export type Operations = { [K in Exclude<OperationId, ByHand>]: (...args: Taken<K>) => Promise<Answer<K>> };

/** Operations that answer in pages. */
export type Listing = { [K in keyof Operations]: Answer<K> extends { items: unknown[]; nextCursor?: string } ? K : never }[keyof Operations];

/** What a page is made of. */
export type Item<K extends Listing> = Answer<K> extends { items: (infer I)[] } ? I : never;
