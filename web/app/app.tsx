import { useQuery } from "@tanstack/preact-query";
import { useEffect } from "preact/hooks";
import { lazy, Route, Router, useLocation } from "preact-iso";
import { api, status } from "./data/client.js";
import { follow } from "./data/live.js";
import { Inbox } from "./pages/inbox/inbox.js";
import { SignIn } from "./pages/sign_in.js";
import { Empty, Failed, Skeleton } from "./parts/states.js";
import { Shell } from "./shell.js";
import { words } from "./words.js";

const Document = lazy(() => import("./pages/document/document.js").then((page) => page.Document));

/** All pages. Without a session there is one: signing in. */
export function App() {
  const session = useQuery({ queryKey: ["session"], queryFn: ({ signal }) => api.getSession({ signal }) });
  const team = session.data?.team.id;
  useEffect(() => (team === undefined ? undefined : follow()), [team]);
  if (status(session.error) === 401) return <SignIn ended={session.data !== undefined} />;
  if (session.data === undefined) return session.error ? <Failed error={session.error} again={() => void session.refetch()} /> : <Skeleton />;
  return (
    <Shell session={session.data}>
      <Router>
        <Route path="/" component={Inbox} />
        <Route path="/files/:fileId" component={Document} />
        <Route default component={Nowhere} />
      </Router>
    </Shell>
  );
}

function Nowhere() {
  const { url } = useLocation();
  return (
    <Empty title={words.error.gone}>
      <p>{words.error.goneText}</p>
      <p class="mono">{url}</p>
      <a class="button" href="/">{words.error.back}</a>
    </Empty>
  );
}
