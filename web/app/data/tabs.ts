const channel = new BroadcastChannel("clausemill");

/** Tells the other tabs that the session is another one: another team's, or nobody's. What was typed here was for the one before. */
export function tellTabs(): void {
  sessionStorage.clear();
  channel.postMessage("session");
}

// What they show is not theirs any more.
channel.onmessage = () => {
  sessionStorage.clear();
  location.assign("/");
};
