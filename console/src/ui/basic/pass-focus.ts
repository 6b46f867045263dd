const focusable =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), [tabindex="0"]';

/**
 * Moves the focus from an element about to be removed to the next focusable one within `scope`, or the previous, so that
 * keyboard users keep their place. Does nothing unless the focus is visible.
 */
export function passFocus(leaving: Element | null, scope: Element | null): void {
  if (!leaving || !scope || !leaving.matches(':focus-visible, :has(:focus-visible)')) return;
  const rest = [...scope.querySelectorAll<HTMLElement>(focusable)].filter((each) => !leaving.contains(each));
  const follows = (each: Element) => (leaving.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  (rest.find(follows) ?? rest.at(-1))?.focus();
}
