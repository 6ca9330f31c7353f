import { useEffect, useState } from "preact/hooks";

const narrow = matchMedia("(width < 720px)");

/** Whether the screen is a phone's, where parts that stand side by side elsewhere are shown one at a time. */
export function usePhone(): boolean {
  const [phone, tell] = useState(narrow.matches);
  useEffect(() => {
    const told = (): void => tell(narrow.matches);
    told();
    narrow.addEventListener("change", told);
    return () => narrow.removeEventListener("change", told);
  }, []);
  return phone;
}
