let unmount = (): void => undefined;

/** What takes everything of the page off the screen. */
export const onDiscard = (take: () => void): void => {
  unmount = take;
};

/** Takes the page of one account away before another one sees anything, and begins anew at an address. */
export function discardPage(address: string): void {
  // First: a form with changes would ask whether to leave.
  unmount();
  location.replace(address);
}
