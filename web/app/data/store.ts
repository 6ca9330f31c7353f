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

/** A value that stays in the tab of the browser when the page is loaded again. */
export class Kept<T> extends Store<T> {
  constructor(key: string, first: T) {
    const kept = sessionStorage.getItem(key);
    super(kept === null ? first : (JSON.parse(kept) as T));
    this.follow(() => {
      if (this.value === first) sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, JSON.stringify(this.value));
    });
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
