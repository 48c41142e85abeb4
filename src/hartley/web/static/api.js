// Talking to the server on this machine. A refusal arrives as an Error with its one line.

async function answer(response) {
  let content;
  try {
    content = await response.json();
  } catch {
    throw new Error(response.status === 403 ? "This page is locked; open the address from the terminal." : "The server gave no answer.");
  }
  if (!response.ok) throw new Error(content.error ?? "The server refused.");
  return content;
}

async function reach(path, options) {
  try {
    return await fetch(path, options);
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
