"use strict";
// Puts a slider beside each of the two times. Without it the fields are typed into, and do the same.
const DAY_MS = 86_400_000;

function written(unit, value) {
  return unit === "day" ? new Date(value * DAY_MS).toISOString().slice(0, 10) : String(value);
}

function read(unit, text, otherwise) {
  const value = unit === "day" ? Math.floor(Date.parse(text) / DAY_MS) : Number(text);
  return text === "" || Number.isNaN(value) ? otherwise : value;
}

for (const field of document.querySelectorAll("input[data-slider]")) {
  const { slider: label, unit, first, last } = field.dataset;
  const slider = document.createElement("input");
  slider.type = "range";
  slider.min = first;
  slider.max = last;
  slider.setAttribute("aria-label", label);
  const now = unit === "day" ? Math.floor(Date.now() / DAY_MS) : Number(last);
  const follow = () => {
    slider.value = String(read(unit, field.value, now));
    slider.setAttribute("aria-valuetext", field.value || "now");
  };
  slider.addEventListener("input", () => {
    field.value = written(unit, Number(slider.value));
    slider.setAttribute("aria-valuetext", field.value);
  });
  field.addEventListener("input", follow);
  follow();
  field.after(slider);
}
