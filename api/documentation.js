"use strict";

// Swagger UI looks for a phrase in the names of tags. This looks for words in all
// that is said of an operation.
const found = (tagged, phrase) => {
  const words = phrase.toLowerCase().split(/\s+/).filter(Boolean);
  const said = (name, entry) => {
    const op = entry.get("operation");
    return [name, entry.get("method"), entry.get("path"), op.get("operationId"), op.get("summary"), op.get("description")]
      .join(" ").toLowerCase();
  };
  const kept = tagged
    .map((tag, name) => tag.update("operations", (all) => all.filter((entry) => words.every((word) => said(name, entry).includes(word)))))
    .filter((tag) => tag.get("operations").size > 0);
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
  filter: input.value || true,
  tryItOutEnabled: true,
  validatorUrl: null,
  plugins: [() => ({ fn: { opsFilter: found } })],
});

const search = () => {
  ui.layoutActions.updateFilter(input.value.trim() || true);
  if (!input.value.trim()) document.querySelector("output").value = "";
};
input.addEventListener("input", search);
input.form.addEventListener("submit", (event) => {
  event.preventDefault();
  search();
});
