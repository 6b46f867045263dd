/** An element by its way down from the root: each ancestor, with the place of the next one among its children. */
type Way = { element: Element; at: number }[];

const stops = 'a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, [tabindex]';
/** Whatever closes or opens has its own say first about who has the focus. */
const afterMs = 100;

/**
 * For those at the keyboard: where the element they are on goes away (a row is deleted, a filter is cleared, another page
 * comes), what takes its place has the focus then, or what is next to it, or the page; the document never has.
 */
export function keepFocus(root: Element): void {
  let way: Way | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const remember = (target: EventTarget | null): void => {
    // What lies over the page gives the focus back by itself, to where it was in the page.
    if (!(target instanceof Element) || !root.contains(target)) return;
    way = target.matches(':focus-visible') ? wayTo(target, root) : undefined;
  };
  const give = (): void => {
    timer = undefined;
    if (isLost(way)) heirOf(way)?.focus();
  };
  remember(document.activeElement);
  addEventListener('focusin', ({ target }) => remember(target));
  // A press beside everything takes the focus away as well, which is meant.
  addEventListener('pointerdown', () => (way = undefined), true);
  new MutationObserver(() => {
    if (isLost(way)) timer ??= setTimeout(give, afterMs);
  }).observe(root, { childList: true, subtree: true });
}

/** Whether nothing has the focus because what had it is gone. */
const isLost = (way: Way | undefined): way is Way =>
  document.activeElement === document.body &&
  way?.at(-1)?.element.isConnected === false &&
  document.querySelector('[role=dialog], [role=alertdialog]') === null;

function wayTo(target: Element, root: Element): Way {
  const way: Way = [{ element: target, at: 0 }];
  for (let child = target; child !== root && child.parentElement; child = child.parentElement) {
    const at = [...child.parentElement.children].indexOf(child);
    way.unshift({ element: child.parentElement, at });
  }
  return way;
}

function heirOf(way: Way): HTMLElement | null {
  const page = document.querySelector('main');
  const left = way.findLast(({ element }) => element.isConnected);
  // The page is another one: it is read from its beginning.
  if (!left || left.element.contains(page)) return page;
  const children = [...left.element.children];
  const near = [...children.slice(left.at), ...children.slice(0, left.at).toReversed()];
  for (const child of near) {
    const stop = stopIn(child);
    if (stop) return stop;
  }
  return heirOf(way.slice(0, way.indexOf(left)));
}

/** The first stop of the keyboard that is seen in an element, itself included. */
function stopIn(element: Element): HTMLElement | undefined {
  const all = [element, ...element.querySelectorAll(stops)];
  return all.find(
    (each): each is HTMLElement => each instanceof HTMLElement && each.matches(stops) && each.checkVisibility(),
  );
}
