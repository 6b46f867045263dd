import { type BrowserContext, expect, type Locator, type Page, type Request } from '@playwright/test';

/** Texts of toasts by page, oldest first. A text that a test waited for is removed. */
const toasts = new WeakMap<Page, string[]>();

/** Records toasts of all pages of a browser: most disappear after a second and a half. */
export async function recordToasts(context: BrowserContext): Promise<void> {
  await context.exposeBinding('toastShown', ({ page }, text: string) => {
    toasts.set(page, [...(toasts.get(page) ?? []), text]);
  });
  await context.addInitScript(() => {
    const known = new WeakMap<Element, string>();
    new MutationObserver(() => {
      for (const line of document.querySelectorAll('section[aria-label=Messages] p')) {
        const text = line.textContent ?? '';
        if (known.get(line) === text) continue;
        known.set(line, text);
        void (Reflect.get(window, 'toastShown') as (text: string) => Promise<void>)(text);
      }
    }).observe(document, { subtree: true, childList: true, characterData: true });
  });
}

/** Simulates plain HTTP from another machine, where browsers disable some APIs. */
export const withoutSecureContext = (context: BrowserContext): Promise<unknown> =>
  context.addInitScript(() => Object.defineProperty(Crypto.prototype, 'randomUUID', { value: undefined }));

/** Waits for a toast that appeared after the last one the test waited for. */
export async function expectToast(page: Page, text: string | RegExp): Promise<void> {
  const matches = (toast: string): boolean => (typeof text === 'string' ? toast.includes(text) : text.test(toast));
  const seen = (): string[] => toasts.get(page) ?? [];
  const expected = typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text);
  await expect.poll(seen, 'toasts').toEqual(expect.arrayContaining([expected]));
  toasts.set(page, seen().slice(seen().findIndex(matches) + 1));
}

/** Waits until the clipboard matches, which takes a moment after the click, and returns its text. */
export async function copiedText(page: Page, pattern: RegExp): Promise<string> {
  const read = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(read, 'in the clipboard').toMatch(pattern);
  return read();
}

/** Waits for an address of the console, as opposed to the sign-in page that redirects to it. */
export const inPanel = (page: Page): Promise<void> =>
  expect(page).toHaveURL(({ pathname }) => /^\/panel\b/.test(pathname));

/** Requests under way, by browser. */
const underWay = new WeakMap<BrowserContext, Set<Request>>();

/** Lets `settled` wait for the requests of a browser's pages: code that is loading has no mark in the page. */
export function followRequests(context: BrowserContext): void {
  const requests = new Set<Request>();
  underWay.set(context, requests);
  context.on('request', (request) => {
    // Those of the page before end without a word.
    if (request.isNavigationRequest()) requests.clear();
    const isOpenEnded = request.resourceType() === 'media' || request.url().endsWith('/api/dashboard/live');
    if (!isOpenEnded) requests.add(request);
  });
  context.on('requestfinished', (request) => requests.delete(request));
  context.on('requestfailed', (request) => requests.delete(request));
}

/** Waits until everything on a page is loaded and no animation runs. */
export async function settled(page: Page): Promise<void> {
  // The heading of the page: those of the menu come before the screen is loaded.
  await page.locator('h1').first().waitFor({ state: 'attached' });
  const loading = (): string[] => [...(underWay.get(page.context()) ?? [])].map((request) => request.url());
  do {
    await expect.poll(loading, { message: 'requests under way', intervals: [20, 50, 100] }).toEqual([]);
    await framesAreQuiet(page);
  } while (loading().length > 0);
}

/** Waits until no part of a page says that it is loading and no animation runs, for several frames. */
const framesAreQuiet = (page: Page): Promise<unknown> =>
  page.waitForFunction(() => {
    const coming = [
      '.splash',
      '[aria-busy=true]:not(button)',
      '[role=progressbar][aria-label=Loading]',
      'span[aria-hidden=true].inline-block.rounded-full.bg-fill',
    ];
    const moves = document.getAnimations().some(({ playState, effect }) => {
      const end = effect?.getComputedTiming().endTime ?? 0;
      return playState === 'running' && Number(end) < Infinity;
    });
    const quiet = !moves && document.querySelector(coming.join()) === null;
    // For several frames, so that follow-up requests have started.
    const frames = quiet ? Number(Reflect.get(window, 'quietFrames') ?? 0) + 1 : 0;
    Reflect.set(window, 'quietFrames', frames < 5 ? frames : 0);
    return frames === 5;
  });

/** Opens the form of a record by way of its read view: a click on `target` in its row, then Edit. */
export async function editBy(target: Locator): Promise<void> {
  await target.click();
  await target.page().getByRole('dialog').getByRole('button', { name: 'Edit', exact: true }).click();
}

/** Selects a radio button whose state comes from the address, and so follows the click after the next navigation. */
export async function choose(radio: Locator, options: { force?: boolean } = {}): Promise<void> {
  await radio.click(options);
  await expect(radio).toBeChecked();
}
