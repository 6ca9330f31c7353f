import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { words } from "../words.js";
import { Failed, Skeleton } from "./states.js";

/**
 * A page whose program is fetched when it is first gone to. It is mounted once: what is typed as soon as it is
 * there stays. One that cannot be fetched says so: the service is lost, or was renewed and has another one.
 */
export function later(load: () => Promise<ComponentType>): ComponentType {
  let Page: ComponentType | undefined;
  return () => {
    const [failed, fail] = useState<boolean>();
    useEffect(() => {
      if (!Page) void load().then((loaded) => ((Page = loaded), fail(false)), () => fail(true));
    }, []);
    if (Page) return <Page />;
    return failed ? <Failed error={words.error.notLoaded} again={() => location.reload()} /> : <Skeleton lines={16} />;
  };
}
