import { Component, type ComponentChildren } from "preact";
import { Failed } from "./states.js";

interface Props {
  /** Where the page is: at another one its fault is over. */
  path: string;
  children: ComponentChildren;
}

/** Shows what a page failed of in its place, so that the rest of the console stays and another page can be gone to. */
export class Guard extends Component<Props, { error: unknown }> {
  override state = { error: undefined };

  override componentDidCatch(error: unknown): void {
    console.error(error); // with where in the code it was
    this.setState({ error });
  }

  override componentDidUpdate({ path }: Props): void {
    if (this.state.error !== undefined && path !== this.props.path) this.setState({ error: undefined });
  }

  override render() {
    return this.state.error === undefined ? this.props.children : <Failed error={this.state.error} again={() => this.setState({ error: undefined })} />;
  }
}
