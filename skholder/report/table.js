// Sorting and filtering; without this script the tables are complete and worst first.
(() => {
  "use strict";

  const valueOf = (row, column, numeric) => {
    const cell = row.cells[column];
    const value = cell.dataset.value ?? cell.textContent.trim();
    if (!numeric) return value.toLowerCase();
    return value === "" ? NaN : Number(value);
  };

  const compare = (a, b) => {
    // Missing numbers go last, whichever way round.
    if (typeof a === "number") {
      if (Number.isNaN(a) || Number.isNaN(b)) return null;
      return a - b;
    }
    return a.localeCompare(b, "en", { numeric: true });
  };

  const sortBy = (table, header) => {
    const numeric = header.dataset.sort === "number";
    const first = header.dataset.first || (numeric ? "descending" : "ascending");
    const other = first === "ascending" ? "descending" : "ascending";
    const direction = header.getAttribute("aria-sort") === first ? other : first;
    for (const cell of table.tHead.rows[0].cells) {
      if (cell.dataset.sort) cell.setAttribute("aria-sort", "none");
    }
    header.setAttribute("aria-sort", direction);
    const sign = direction === "ascending" ? 1 : -1;
    const body = table.tBodies[0];
    const keyed = Array.from(body.rows, (row) => [valueOf(row, header.cellIndex, numeric), row]);
    keyed.sort(([a], [b]) => {
      const order = compare(a, b);
      return order === null ? Number.isNaN(a) - Number.isNaN(b) : sign * order;
    });
    body.append(...keyed.map(([, row]) => row));
  };

  for (const table of document.querySelectorAll("table[data-sortable]")) {
    for (const header of table.tHead.rows[0].cells) {
      if (!header.dataset.sort) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...header.childNodes);
      header.append(button);
      if (!header.hasAttribute("aria-sort")) header.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => sortBy(table, header));
    }
  }

  for (const form of document.querySelectorAll("form[data-filters]")) {
    const rows = Array.from(document.getElementById(form.dataset.filters).tBodies[0].rows);
    const words = form.querySelector("input[type=search]");
    const flagged = form.querySelector("input[type=checkbox]");
    const status = form.querySelector("output");
    const apply = () => {
      const wanted = words.value.trim().toLowerCase();
      let shown = 0;
      for (const row of rows) {
        const kept =
          row.textContent.toLowerCase().includes(wanted) &&
          !(flagged && flagged.checked && row.dataset.flagged !== "yes");
        row.hidden = !kept;
        shown += kept;
      }
      status.textContent = `Showing ${shown} of ${rows.length} rows`;
    };
    form.addEventListener("input", apply);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    apply();
  }
})();
