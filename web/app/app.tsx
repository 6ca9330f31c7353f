import { useEffect } from "preact/hooks";
import { Route, Router, useLocation } from "preact-iso";
import { status } from "./data/client.js";
import { follow } from "./data/live.js";
import { useSessionQuery } from "./data/people.js";
import { Inbox } from "./pages/inbox/inbox.js";
import { SignIn } from "./pages/sign_in.js";
import { Guard } from "./parts/guard.js";
import { later } from "./parts/later.js";
import { Empty, Failed, Skeleton } from "./parts/states.js";
import { Shell } from "./shell.js";
import { words } from "./words.js";

const Document = later(() => import("./pages/document/document.js").then((page) => page.Document));
const Redline = later(() => import("./pages/redline/redline.js").then((page) => page.Redline));
const Review = later(() => import("./pages/review/review.js").then((page) => page.Review));
const Search = later(() => import("./pages/search/search.js").then((page) => page.Search));
const Matters = later(() => import("./pages/matters/matters.js").then((page) => page.Matters));
const Matter = later(() => import("./pages/matters/matter.js").then((page) => page.Matter));
const Types = later(() => import("./pages/types/types.js").then((page) => page.Types));
const Type = later(() => import("./pages/types/types.js").then((page) => page.Type));
const Questions = later(() => import("./pages/questions/questions.js").then((page) => page.Questions));
const Operations = later(() => import("./pages/operations/operations.js").then((page) => page.Operations));
const Settings = later(() => import("./pages/settings/settings.js").then((page) => page.Settings));

/** All pages. Without a session there is one: signing in. */
export function App() {
  const { path } = useLocation();
  const session = useSessionQuery();
  const whose = session.data && `${session.data.user.id} ${session.data.team.id}`;
  useEffect(() => (whose === undefined ? undefined : follow(whose)), [whose]);
  if (status(session.error) === 401) return <SignIn ended={session.data !== undefined} />;
  if (session.data === undefined) return session.error ? <Failed error={session.error} again={() => void session.refetch()} /> : <Skeleton />;
  return (
    <Shell session={session.data}>
      <Guard path={path}>
        <Router>
          <Route path="/" component={Inbox} />
          <Route path="/files/:fileId" component={Document} />
          <Route path="/files/:fileId/redline" component={Redline} />
          <Route path="/review" component={Review} />
          <Route path="/search" component={Search} />
          <Route path="/matters" component={Matters} />
          <Route path="/matters/:matterId" component={Matter} />
          <Route path="/types" component={Types} />
          <Route path="/types/:typeId" component={Type} />
          <Route path="/questions" component={Questions} />
          <Route path="/operations" component={Operations} />
          <Route path="/settings/:page?" component={Settings} />
          <Route default component={Nowhere} />
        </Router>
      </Guard>
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
