/** The path from the root to an element: each ancestor, with the index of the next one among its children. */
type ElementPath = { element: Element; at: number }[];

const focusable = 'a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, [tabindex]';
/** Overlays that open or close move the focus first. */
const afterMs = 100;

/**
 * For keyboard users: when the focused element is removed (a deleted row, a cleared filter, another page), focuses the
 * element that took its place, or a neighbour, or the page, so that the focus is never lost to the document.
 */
export function keepFocus(root: Element): void {
  let path: ElementPath | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const remember = (target: EventTarget | null): void => {
    // Overlays return the focus themselves.
    if (!(target instanceof Element) || !root.contains(target)) return;
    path = target.matches(':focus-visible') ? pathTo(target, root) : undefined;
  };
  const give = (): void => {
    timer = undefined;
    if (isLost(path)) successorOf(path)?.focus();
  };
  remember(document.activeElement);
  addEventListener('focusin', ({ target }) => remember(target));
  // A click outside all controls removes the focus on purpose.
  addEventListener('pointerdown', () => (path = undefined), true);
  new MutationObserver(() => {
    if (isLost(path)) timer ??= setTimeout(give, afterMs);
  }).observe(root, { childList: true, subtree: true });
}

/** Whether the focus was lost because the focused element was removed. */
const isLost = (path: ElementPath | undefined): path is ElementPath =>
  document.activeElement === document.body &&
  path?.at(-1)?.element.isConnected === false &&
  document.querySelector('[role=dialog], [role=alertdialog]') === null;

function pathTo(target: Element, root: Element): ElementPath {
  const path: ElementPath = [{ element: target, at: 0 }];
  for (let child = target; child !== root && child.parentElement; child = child.parentElement) {
    const at = [...child.parentElement.children].indexOf(child);
    path.unshift({ element: child.parentElement, at });
  }
  return path;
}

function successorOf(path: ElementPath): HTMLElement | null {
  const page = document.querySelector('main');
  const left = path.findLast(({ element }) => element.isConnected);
  // Another page: start at its beginning.
  if (!left || left.element.contains(page)) return page;
  const children = [...left.element.children];
  const near = [...children.slice(left.at), ...children.slice(0, left.at).toReversed()];
  for (const child of near) {
    const next = focusableIn(child);
    if (next) return next;
  }
  return successorOf(path.slice(0, path.indexOf(left)));
}

/** The first visible focusable element, including the element itself. */
function focusableIn(element: Element): HTMLElement | undefined {
  const all = [element, ...element.querySelectorAll(focusable)];
  return all.find(
    (each): each is HTMLElement => each instanceof HTMLElement && each.matches(focusable) && each.checkVisibility(),
  );
}
