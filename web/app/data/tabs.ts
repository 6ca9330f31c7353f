const channel = new BroadcastChannel("clausemill");

/** Tells the other tabs that the session is another one: another team's, or nobody's. */
export const tellTabs = (): void => channel.postMessage("session");

// What they show is not theirs any more.
channel.onmessage = () => location.assign("/");
