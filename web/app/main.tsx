import "@fontsource-variable/inter/wght.css";
import "./style.css";
import { QueryClientProvider } from "@tanstack/preact-query";
import { render } from "preact";
import { LocationProvider } from "preact-iso";
import { App } from "./app.js";
import { cache } from "./data/client.js";
import { connection } from "./data/live.js";
import { theme } from "./data/theme.js";

theme.apply();
// A part of another release is gone after an update: its page is loaded anew, once in a while. A service that is
// lost has none: the page says so, and the rest stays.
window.addEventListener("vite:preloadError", () => {
  if (connection.value === "lost" || Date.now() - Number(sessionStorage.getItem("reloaded") ?? 0) < 30_000) return;
  sessionStorage.setItem("reloaded", String(Date.now()));
  location.reload();
});
// What the service answers itself is not a page of the console.
const pages = /^\/(?!(api|auth|docs|openapi)\b)/;
render(
  <QueryClientProvider client={cache}>
    <LocationProvider scope={pages}>
      <App />
    </LocationProvider>
  </QueryClientProvider>,
  document.getElementById("app")!,
);
