import { atBase } from '#base-path.ts';

let unmount = (): void => undefined;

/** Callback that removes the page from the screen. */
export const onDiscard = (take: () => void): void => {
  unmount = take;
};

/** Unmounts the page of the previous account, then reloads the app at an address. */
export function discardPage(address: string): void {
  // First, because a form with changes would ask before leaving.
  unmount();
  location.replace(atBase(address));
}
