import { useEffect } from "preact/hooks";
import { words } from "../words.js";

/** Names the page in the title of its tab while it is shown. */
export const useTitle = (title: string): void =>
  useEffect(() => {
    document.title = `${title} · ${words.product}`;
    return () => void (document.title = words.product);
  }, [title]);
