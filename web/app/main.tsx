import "@fontsource-variable/inter/wght.css";
import "./style.css";
import { QueryClientProvider } from "@tanstack/preact-query";
import { render } from "preact";
import { LocationProvider } from "preact-iso";
import { App } from "./app.js";
import { cache } from "./data/client.js";
import { theme } from "./data/theme.js";

theme.apply();
// A part of another release is gone after an update: its page is loaded anew.
window.addEventListener("vite:preloadError", () => location.reload());
render(
  <QueryClientProvider client={cache}>
    <LocationProvider>
      <App />
    </LocationProvider>
  </QueryClientProvider>,
  document.getElementById("app")!,
);
