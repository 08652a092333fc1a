/**
 * What a page gains where scripts run; without them nothing is missing but comfort. It asks nobody
 * for anything and makes elements of text only as text.
 */

export const pageScript = `"use strict";
(() => {
  const make = (name, attributes, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const list = document.querySelector("[data-list]");
  const rows = () => [...list.querySelectorAll(":scope > details")];
  const copying = (root) => {
    if (!navigator.clipboard) return;
    for (const line of root.querySelectorAll(".command")) {
      if (line.querySelector("button")) continue;
      const button = make("button", { type: "button" }, "Copy");
      button.addEventListener("click", async () => {
        await navigator.clipboard.writeText(line.querySelector("code").textContent);
        button.textContent = "Copied";
        setTimeout(() => { button.textContent = "Copy"; }, 1500);
      });
      line.append(button);
    }
  };
  const follow = () => {
    let id = "";
    try { id = decodeURIComponent(location.hash.slice(1)); } catch { return; }
    const wanted = id === "" ? null : document.getElementById(id);
    if (wanted === null) return;
    wanted.hidden = false;
    if (wanted.tagName === "DETAILS") wanted.open = true;
    wanted.scrollIntoView();
  };
  const linking = () => {
    for (const row of rows()) {
      row.addEventListener("toggle", () => {
        if (!row.open || row.id === "") return;
        history.replaceState(null, "", "#" + encodeURIComponent(row.id));
      });
    }
  };
  const choices = (name, label) => {
    const words = [...new Set(rows().map((row) => row.dataset[name]))].sort();
    const all = make("option", { value: "" }, label);
    return make("select", { "aria-label": label }, all,
      ...words.map((word) => make("option", { value: word }, word.replaceAll("_", " "))));
  };
  const tools = () => {
    const label = "Filter by text";
    const text = make("input", { type: "search", placeholder: label, "aria-label": label });
    const type = choices("type", "All types");
    const word = list.dataset.list;
    const verdict = choices("verdict", "All " + word + "s");
    const order = make("select", { "aria-label": "Order" },
      make("option", { value: "" }, "As reported"),
      make("option", { value: "id" }, "By address"),
      make("option", { value: "type" }, "By type"),
      make("option", { value: "verdict" }, "By " + word));
    const count = make("span", { class: "soft", role: "status" });
    const first = rows();
    const apply = () => {
      const words = text.value.toLowerCase().split(" ").filter((word) => word !== "");
      let shown = 0;
      for (const row of first) {
        const own = row.textContent.toLowerCase();
        const fits = words.every((word) => own.includes(word)) &&
          (type.value === "" || row.dataset.type === type.value) &&
          (verdict.value === "" || row.dataset.verdict === verdict.value);
        row.hidden = !fits;
        if (fits) shown += 1;
      }
      count.textContent = shown + " of " + first.length;
    };
    const sort = () => {
      const key = (row) => order.value === "id" ? row.id : row.dataset[order.value];
      const natural = new Intl.Collator("en", { numeric: true });
      const sorted = order.value === "" ? first
        : [...first].sort((left, right) => natural.compare(key(left), key(right)));
      list.append(...sorted);
    };
    for (const item of [text, type, verdict]) item.addEventListener("input", apply);
    order.addEventListener("input", sort);
    list.before(make("div", { class: "tools" }, text, type, verdict, order, count));
    apply();
  };
  const cell = (text) => make("td", {}, text === "" ? "" : make("code", {}, text));
  const row = ([address, identity, type, verdict, reason, differences, commands]) => {
    const body = [];
    if (reason !== "") body.push(make("p", {}, reason));
    if (differences.length > 0) {
      const names = ["Attribute", "Configuration", "Recorded", "Observed", "Class", "Severity"];
      body.push(make("div", { class: "wide" }, make("table", {},
        make("thead", {}, make("tr", {}, ...names.map((name) => make("th", {}, name)))),
        make("tbody", {}, ...differences.map((cells) => make("tr", {}, ...cells.map(cell)))))));
    }
    for (const [purpose, command] of commands) {
      body.push(make("p", { class: "command" }, "To " + purpose + ": ", make("code", {}, command)));
    }
    return make("details", { id: address, "data-type": type, "data-verdict": verdict },
      make("summary", {}, make("span", { class: "tag " + verdict }, verdict.replaceAll("_", " ")),
        make("code", {}, address), make("span", { class: "identity" }, identity)), ...body);
  };
  const more = async () => {
    const packed = document.getElementById("packed");
    if (packed === null || typeof DecompressionStream === "undefined") return;
    const bytes = Uint8Array.from(atob(packed.textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const columns = JSON.parse(await new Response(stream).text());
    list.append(...columns[0].map((_, at) => row(columns.map((column) => column[at]))));
    for (const note of document.querySelectorAll("[data-unscripted]")) note.hidden = true;
  };
  const start = async () => {
    if (list !== null) {
      try { await more(); } catch (problem) { console.error(problem); }
      if (rows().length > 1) tools();
      linking();
    }
    copying(document);
    follow();
    addEventListener("hashchange", follow);
  };
  void start();
})();
`;
