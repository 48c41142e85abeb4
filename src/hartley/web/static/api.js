// Talking to the server on this machine. A refusal arrives as an Error with its one line.

// The token of the address is turned in for what opens the rest; that stays in this tab, and goes to no other port.
const KEPT = "hartley-session";
const LOCKED = "This page is locked; open the address from the terminal.";

// Each tab has a table of its own. A tab that was copied has the word of the other; whoever has it answers, and the copy takes a new one.
const TAB = "hartley-tab";
const tabs = new BroadcastChannel("hartley-tabs");
const newWord = () => [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
let tab = null;
tabs.addEventListener("message", ({ data }) => { if (data.asks && data.asks === tab) tabs.postMessage({ taken: tab }); });

async function ownWord() {
  const word = sessionStorage.getItem(TAB);
  const isTaken = word && await new Promise((resolve) => {
    const heard = ({ data }) => { if (data.taken === word) resolve(true); };
    tabs.addEventListener("message", heard);
    tabs.postMessage({ asks: word });
    setTimeout(() => resolve(false), 150);
  });
  if (isTaken) sessionStorage.removeItem("hartley-work");
  tab = word && !isTaken ? word : newWord();
  sessionStorage.setItem(TAB, tab);
}

let ticket = "";
export const session = enter();
addEventListener("hashchange", () => { if (givenToken()) location.reload(); });

function givenToken() {
  return new URLSearchParams(location.hash.slice(1)).get("key");
}

async function enter() {
  await ownWord();
  const token = givenToken();
  if (token) {
    const options = { method: "POST", headers: { "Content-Type": "application/json", "Hartley-Tab": tab }, body: JSON.stringify({ token }) };
    const response = await fetch("/api/enter", options);
    if (response.ok) sessionStorage.setItem(KEPT, JSON.stringify(await response.json()));
    // The token has done its work; it need not stay in the address bar. Not before: a reload meanwhile would find none.
    history.replaceState(null, "", location.pathname);
  }
  const known = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
  ticket = known?.ticket ?? "";
  return known;
}

// Images and downloads are fetched without headers; a ticket in their address lets them be read.
export const withTicket = (path) => `${path}?${new URLSearchParams({ ticket, tab })}`;

async function answer(response) {
  let content;
  try {
    content = await response.json();
  } catch {
    throw new Error(response.status === 403 ? LOCKED : "The server gave no answer.");
  }
  if (!response.ok) throw new Error(content.error ?? "The server refused.");
  return content;
}

async function reach(path, options) {
  const known = await session;
  if (!known) throw new Error(LOCKED);
  try {
    return await fetch(path, { ...options, headers: { ...options.headers, "Hartley-Session": known.secret, "Hartley-Tab": tab } });
  } catch {
    throw new Error("hartley does not answer; it may have been ended in the terminal.");
  }
}

export async function ask(path, content) {
  const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(content) };
  return answer(await reach(path, options));
}

export async function fetched(path) {
  return answer(await reach(path, { cache: "no-store" }));
}

export async function send(path, file, about = {}) {
  const options = { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file };
  const query = new URLSearchParams({ name: file.name, ...about });
  return answer(await reach(`${path}?${query}`, options));
}
