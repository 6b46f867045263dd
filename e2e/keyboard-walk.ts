import { expect, type Page } from '@playwright/test';

/** Names of controls. */
interface Walk {
  /** Number of controls that can have the focus. */
  controls: number;
  /** Those that Tab did not reach, and those that it reached without a visible focus. */
  missed: string[];
  unseen: string[];
  /** Those that were not there at the start. */
  late: string[];
  /** Whether the focus came back to where it started, or left the page. */
  ended: boolean;
}

/** Presses of Tab after which a page counts as a trap. */
const mostStops = 260;
const atOnce = 20;

/**
 * Walks through a page, or an open dialog, with Tab alone: every control is reached once, the focus is always visible,
 * and the walk ends.
 */
export async function expectWalkable(page: Page): Promise<void> {
  let walk = await walkThrough(page);
  // A part that was still loading may have appeared behind the focus.
  for (let again = 0; again < 2 && walk.late.length > 0; again++) walk = await walkThrough(page);
  const where = page.url();
  expect(walk.ended, `${where}: Tab leaves`).toBe(true);
  expect(walk.unseen, `${where}: controls without a visible focus`).toEqual([]);
  expect(walk.missed, `${where}: not reached by Tab`).toEqual([]);
  expect(walk.controls, `${where}: controls`).toBeGreaterThan(0);
}

async function walkThrough(page: Page): Promise<Walk> {
  await startWalk(page);
  for (let stops = 0; ; stops += atOnce) {
    // Sent without waiting for each: the page takes them in their order.
    await Promise.all(Array.from({ length: atOnce }, () => page.keyboard.press('Tab')));
    const walk = await page.evaluate(() => (Reflect.get(window, 'walk') as () => Walk)());
    if (walk.ended || stops >= mostStops) return walk;
  }
}

/** Records from now on which controls get the focus. */
const startWalk = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const style = document.createElement('style');
    // The look of the focus counts, not the way to it.
    style.textContent = '*, *::before, *::after { transition: none !important; animation: none !important }';
    document.head.append(style);
    // A walk before this one left the focus in the middle, and a walk may end behind the last control.
    if (!document.querySelector('[role=dialog]')) {
      document.body.tabIndex = -1;
      document.body.focus();
      document.body.removeAttribute('tabindex');
    }
    const stops: Element[] = [];
    const unseen = new Set<string>();
    const nameOf = (element: Element): string => {
      const name = element.getAttribute('aria-label') ?? element.textContent?.trim().slice(0, 40) ?? '';
      const { id } = element;
      return `${element.tagName.toLowerCase()} "${name}"${id && ` #${id}`}`;
    };
    const isRinged = (element: Element): boolean =>
      [element, element.parentElement, element.parentElement?.parentElement, element.nextElementSibling].some(
        (each) => {
          if (!each) return false;
          const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(each);
          return (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none';
        },
      );
    document.addEventListener('focusin', ({ target }) => {
      if (!(target instanceof Element)) return;
      stops.push(target);
      if (!isRinged(target) && !target.hasAttribute('data-base-ui-focus-guard')) unseen.add(nameOf(target));
    });
    const isThere = (element: HTMLElement): boolean =>
      element.tabIndex >= 0 &&
      element.checkVisibility({ visibilityProperty: true }) &&
      element.getClientRects().length > 0 &&
      !element.matches(':disabled, [aria-disabled=true], [data-base-ui-focus-guard]') &&
      !element.closest('[inert], [aria-hidden=true]') &&
      // Of radio buttons only the chosen one is a stop.
      !(element instanceof HTMLInputElement && element.type === 'radio' && !element.checked);
    const controlsNow = (): HTMLElement[] => {
      const within = document.querySelector('[role=dialog]') ?? document.body;
      const focusable = 'a[href], button, input, select, textarea, summary, [tabindex]';
      return [...within.querySelectorAll<HTMLElement>(focusable)].filter(isThere);
    };
    const early = new Set(controlsNow().map(nameOf));
    Reflect.set(window, 'walk', (): Walk => {
      const controls = controlsNow();
      // Also by name, because React may have replaced a control since.
      const reached = new Set<Element | string>([...stops, ...stops.map(nameOf)]);
      const [first] = stops;
      return {
        controls: controls.length,
        missed: controls.filter((element) => !reached.has(element) && !reached.has(nameOf(element))).map(nameOf),
        unseen: [...unseen],
        late: controls.map(nameOf).filter((name) => !early.has(name)),
        ended: (first !== undefined && stops.indexOf(first, 1) > 0) || (stops.length > 0 && !document.hasFocus()),
      };
    });
  });
