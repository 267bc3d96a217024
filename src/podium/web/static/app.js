// Podium's pages follow their run, and answer to keys. Without this file they still work: forms post, pages reload.
"use strict";
(() => {
  const root = document.documentElement;
  const kept = (name, value) => {
    try {
      return value === undefined ? localStorage.getItem(name) : localStorage.setItem(name, value);
    } catch { return null; } // storage may be forbidden
  };

  // -- light and dark: before anything is drawn
  const theme = kept("podium-theme");
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  const turn = () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    kept("podium-theme", root.dataset.theme);
    say(dark ? "light" : "dark");
  };

  const one = (choice, from = document) => from.querySelector(choice);
  const all = (choice, from = document) => [...from.querySelectorAll(choice)];
  const say = (text) => { const place = one("#said"); if (place) place.textContent = text; };

  // -- following the run
  const APART = 1000;
  let busy = false, again = false, last = 0, cost = 0, timer = 0, lost = false;

  const state = (text, bad) => {
    const place = one("#link-state");
    if (!place) return;
    place.hidden = !text;
    if (place.textContent !== text) place.textContent = text;
    place.classList.toggle("lost", bad);
  };

  const follow = () => {
    const address = document.body.dataset.events;
    if (!address || !window.EventSource) return;
    const source = new EventSource(address);
    source.addEventListener("open", () => { state("live", false); if (lost) { lost = false; say("connected again"); fetchSoon(); } });
    source.addEventListener("change", fetchSoon);
    source.addEventListener("bye", () => { source.close(); lost = true; state("Podium has ended; this page is as it was", true); });
    source.addEventListener("error", () => {
      lost = true;
      if (source.readyState === EventSource.CLOSED) { state("not connected", true); setTimeout(follow, 5000); }
      else state("connection lost, trying again", true);
    });
    addEventListener("pagehide", () => source.close());
  };

  const fetchSoon = () => {
    again = true;
    if (busy || timer) return;
    const wait = Math.max(0, last + Math.max(APART, 4 * cost) - Date.now());
    timer = setTimeout(() => { timer = 0; load(); }, document.hidden ? Math.max(wait, 4000) : wait);
  };

  const load = async () => {
    busy = true; again = false;
    const began = Date.now();
    try {
      const answer = await fetch(location.href, { headers: { "X-Podium-Live": "1" }, credentials: "same-origin", cache: "no-store" });
      if (answer.status === 401 || answer.status === 403) { state("signed out: reload to sign in", true); return; }
      if (answer.ok) swap(new DOMParser().parseFromString(await answer.text(), "text/html"));
    } catch { state("connection lost, trying again", true); lost = true; }
    finally {
      last = Date.now(); cost = last - began; busy = false;
      if (again) fetchSoon();
    }
  };

  // -- putting the new page into the old one, where it differs; what a person does there stays
  const swap = (fresh) => {
    const changed = [];
    for (const old of all("[data-live]")) {
      const name = old.dataset.live;
      const next = one(`[data-live="${CSS.escape(name)}"]`, fresh);
      if (!next || next.outerHTML === pristine.get(name)) continue;
      if (editing(old)) continue; // a form somebody writes in is not taken from under their hands
      pristine.set(name, next.outerHTML);
      changed.push(name);
      replace(old, document.importNode(next, true));
    }
    for (const next of all("main [data-live]", fresh)) {
      if (!one(`[data-live="${CSS.escape(next.dataset.live)}"]`)) insert(next, fresh);
    }
    if (document.title !== fresh.title) document.title = fresh.title;
    gateMoved(fresh);
    const heading = one("[data-live=head] .chip, [data-live=gate] .chip");
    if (changed.includes("head") || changed.includes("gate")) say(heading ? heading.textContent : "changed");
    else if (changed.includes("list")) say("the list has changed");
    tick();
  };

  const pristine = new Map();
  const editing = (part) => all("input:not([type=hidden]), textarea, select", part).some((each) =>
    each === document.activeElement || (each.type === "checkbox" || each.type === "radio" ? each.checked !== each.defaultChecked
      : each.tagName === "SELECT" ? [...each.options].some((option) => option.selected !== option.defaultSelected) && each.selectedIndex > 0
        : each.value !== each.defaultValue));

  const mark = (each) => each && (each.getAttribute("href") || each.dataset?.keep || each.id || (each.tagName === "SUMMARY" && each.parentElement.dataset.keep));

  const replace = (old, next) => {
    for (const each of all("details[data-keep]", next)) {
      const before = all("details[data-keep]", old).find((known) => known.dataset.keep === each.dataset.keep);
      if (before) each.open = before.open;
    }
    const scrolls = new Map(all("[data-keep-scroll]", old).map((each) => [each.dataset.keepScroll, [each.scrollLeft, each.scrollTop, each.scrollLeft + each.clientWidth >= each.scrollWidth - 4]]));
    const focus = old.contains(document.activeElement) ? document.activeElement : null;
    const name = mark(focus), tag = focus?.tagName;
    old.replaceWith(next);
    for (const each of all("[data-keep-scroll]", next)) {
      const place = scrolls.get(each.dataset.keepScroll);
      if (place) { each.scrollLeft = place[2] && place[0] > 0 ? each.scrollWidth : place[0]; each.scrollTop = place[1]; }
    }
    if (focus) (name ? all(tag, next).find((each) => mark(each) === name) : null)?.focus({ preventScroll: true });
  };

  const insert = (next, fresh) => {
    let before = next.previousElementSibling;
    while (before && !(before.dataset.live && one(`[data-live="${CSS.escape(before.dataset.live)}"]`))) before = before.previousElementSibling;
    const made = document.importNode(next, true);
    const place = before ? one(`[data-live="${CSS.escape(before.dataset.live)}"]`) : null;
    if (place && place.dataset.live !== "head") place.after(made);
    else one("main").append(made);
    pristine.set(next.dataset.live, next.outerHTML);
  };

  // What a person decides on must be what they see: the forms are never filled anew behind their back.
  const gateMoved = (fresh) => {
    const form = one("#decide");
    if (!form) return;
    const next = one("#decide", fresh);
    const seen = (from) => one("input[name=seen]", from)?.value;
    const opened = (from) => one("input[name=opened]", from)?.value;
    if (next && seen(form) === seen(next) && opened(form) === opened(next)) return;
    let note = one("#gate-moved");
    if (!note) {
      note = document.createElement("p");
      note.id = "gate-moved"; note.className = "notice ask"; note.setAttribute("role", "alert");
      form.prepend(note);
    }
    note.textContent = next ? "What you decide on has changed. Copy what you wrote, then reload this page." : "This was decided meanwhile, or the run went another way. Nothing you send here counts any more.";
    for (const each of all("button", form)) each.disabled = true;
  };

  // -- clocks of what is at work
  const words = (s) => s < 9.95 ? `${s.toFixed(1)}s` : s < 59.5 ? `${Math.round(s)}s` : s < 3600 ? `${Math.floor(s / 60)}m ${String(Math.floor(s % 60)).padStart(2, "0")}s` : `${Math.floor(s / 3600)}h ${String(Math.floor(s % 3600 / 60)).padStart(2, "0")}m`;
  const tick = () => {
    for (const each of all("[data-since]")) {
      const since = Date.parse(each.dataset.since);
      if (!Number.isNaN(since)) each.textContent = words(Math.max(0, (Date.now() - since) / 1000));
    }
  };

  // -- keys
  const lines = () => all("[data-list] a[data-item], .tree .node-name a, .tree summary").filter((each) => each.checkVisibility?.() ?? true);
  const move = (way) => {
    const found = lines();
    if (!found.length) return;
    const row = document.activeElement?.closest?.(".run-row, .node");
    let at = found.indexOf(document.activeElement);
    if (at < 0 && row) at = found.findIndex((each) => row.contains(each));
    const next = found[at < 0 ? (way > 0 ? 0 : found.length - 1) : Math.min(found.length - 1, Math.max(0, at + way))];
    next.focus();
    next.scrollIntoView({ block: "nearest" });
  };
  const decide = (name) => {
    const form = one(`form[data-form=${name}]`) ?? (name === "reject" ? null : one("form[data-form]"));
    if (!form) { one("a[data-gate], .run-row.asks .run-gate a")?.click(); return; }
    form.scrollIntoView({ block: "center" });
    one("input:checked, textarea, input[type=radio], select, button", form)?.focus({ preventScroll: true });
  };
  const keys = {
    j: () => move(1), k: () => move(-1),
    "/": () => one("#q")?.focus(),
    a: () => decide("approve"), r: () => decide("reject"),
    g: () => one("a[data-gate], .run-gate a")?.focus(),
    u: () => one("a[data-up]")?.click(),
    t: turn,
    "?": () => one("#key-list")?.showModal(),
  };
  const press = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || one("dialog[open]")) return;
    const typing = event.target.closest?.("input, textarea, select");
    if (event.key === "Escape" && typing) { typing.blur(); return; }
    if (typing) return;
    const inList = event.target.closest?.("[data-list]");
    const what = inList && event.key === "ArrowDown" ? keys.j : inList && event.key === "ArrowUp" ? keys.k : keys[event.key];
    if (!what) return;
    event.preventDefault();
    what();
  };

  document.addEventListener("DOMContentLoaded", () => {
    for (const each of all("[data-live]")) pristine.set(each.dataset.live, each.outerHTML);
    for (const [name, what] of [["#theme", turn], ["#keys", keys["?"]]]) {
      const button = one(name);
      if (button) { button.hidden = false; button.addEventListener("click", what); }
    }
    document.addEventListener("keydown", press);
    // One decision is sent once: a second click is no second opinion.
    for (const form of all("form[method=post]")) form.addEventListener("submit", () => setTimeout(() => all("button", form).forEach((each) => { each.disabled = true; }), 0));
    const here = one(".picture .here"), picture = one(".picture");
    if (picture && !here) picture.scrollLeft = (picture.scrollWidth - picture.clientWidth) / 2;
    if (here) {
      const place = here.getBoundingClientRect(), frame = picture.getBoundingClientRect();
      picture.scrollTop = place.top - frame.top - frame.height / 2 + place.height / 2;
      picture.scrollLeft = place.left - frame.left - frame.width / 2 + place.width / 2;
    }
    const chart = one("[data-keep-scroll=timeline]");
    if (chart && one(".chip.busy")) chart.scrollLeft = chart.scrollWidth;
    one("#q") && all("#workflow").forEach((each) => each.addEventListener("change", () => each.form.requestSubmit()));
    setInterval(tick, 1000);
    // A file can change without a word in the journal: who comes back to a decision sees what is there now.
    if (document.body.dataset.events) addEventListener("focus", fetchSoon);
    if (one("#decide")) setInterval(() => { if (!document.hidden) fetchSoon(); }, 15000);
    follow();
  });
})();
