import { words } from "../words.js";

/** Where people are who have not signed in, or whose session has ended. Signing in leads back to the page that they were on. */
export function SignIn({ ended }: { ended: boolean }) {
  const here = location.pathname + location.search;
  return (
    <main class="sign-in">
      <img src="/icon.svg" alt="" width="48" height="48" />
      <h1>{words.signIn.title}</h1>
      <p>{ended ? words.signIn.ended : words.signIn.text}</p>
      <a class="button primary large" href={`/auth/login?returnTo=${encodeURIComponent(here)}`}>{words.signIn.button}</a>
      <a href="/docs">{words.signIn.api}</a>
    </main>
  );
}
