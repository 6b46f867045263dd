/** Handlers for a button that opens lazily loaded code: hover and focus start loading it. */
export const preloadOn = (load: () => unknown) => ({
  onPointerEnter: () => void load(),
  onFocus: () => void load(),
});
