const stops =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), [tabindex="0"]';

/**
 * Gives the focus of something that is about to go to what comes after it within `scope`, or else before it, so that
 * nobody at the keyboard begins at the top again. Without a focus that is seen there is nothing to give.
 */
export function handOnFocus(going: Element | null, scope: Element | null): void {
  if (!going || !scope || !going.matches(':focus-visible, :has(:focus-visible)')) return;
  const rest = [...scope.querySelectorAll<HTMLElement>(stops)].filter((each) => !going.contains(each));
  const isAfter = (each: Element) => (going.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  (rest.find(isAfter) ?? rest.at(-1))?.focus();
}
