let unmount = (): void => undefined;

/** Callback that removes the page from the screen. */
export const onDiscard = (take: () => void): void => {
  unmount = take;
};

/** Removes the page of one account before another one can see it, and loads an address anew. */
export function discardPage(address: string): void {
  // First, because a form with changes would ask before leaving.
  unmount();
  location.replace(address);
}
