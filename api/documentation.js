"use strict";

// Swagger UI looks for a phrase in the names of tags. This looks for words in all
// that is said of an operation; those that are called so come first.
const found = (tagged, phrase) => {
  const words = phrase.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (parts) => words.every((word) => parts.join(" ").toLowerCase().includes(word));
  const called = (entry) => {
    const op = entry.get("operation");
    return [entry.get("method"), entry.get("path"), op.get("operationId"), op.get("summary")];
  };
  const said = (name, entry) => [name, ...called(entry), entry.getIn(["operation", "description"])];
  const rank = (entry) => {
    const summary = entry.getIn(["operation", "summary"]) ?? "";
    if (summary.toLowerCase().includes(words.join(" "))) return 0;
    return has([summary]) ? 1 : has(called(entry)) ? 2 : 3;
  };
  const kept = tagged
    .map((tag, name) => tag.update("operations", (all) => all.filter((entry) => has(said(name, entry))).sortBy(rank)))
    .filter((tag) => tag.get("operations").size > 0)
    .sortBy((tag) => rank(tag.get("operations").first()));
  document.querySelector("output").value = kept.reduce((n, tag) => n + tag.get("operations").size, 0) + " operations";
  return kept;
};

const input = document.getElementById("q");
input.value = new URLSearchParams(location.search).get("q") ?? "";

const ui = SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#page",
  deepLinking: true,
  displayOperationId: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  filter: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  plugins: [() => ({ fn: { opsFilter: found } })],
});

const search = () => {
  document.body.classList.toggle("searching", input.value.trim() !== "");
  ui.layoutActions.updateFilter(input.value.trim() || true);
  if (!input.value.trim()) document.querySelector("output").value = "";
};
search();
input.addEventListener("input", search);
input.form.addEventListener("submit", (event) => {
  event.preventDefault();
  search();
});
