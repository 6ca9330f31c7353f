import { useEffect, useState } from "preact/hooks";

/** A value that parts of the page follow. */
export class Store<T> {
  #value: T;
  readonly #followers = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set value(value: T) {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const tell of this.#followers) tell();
  }

  follow(tell: () => void): () => void {
    this.#followers.add(tell);
    return () => this.#followers.delete(tell);
  }
}

export function useStore<T>(store: Store<T>): T {
  const [value, set] = useState(() => store.value);
  useEffect(() => {
    const tell = (): void => set(() => store.value);
    tell(); // what happened since it was rendered
    return store.follow(tell);
  }, [store]);
  return value;
}
