import { type BrowserContext, expect, type Page } from '@playwright/test';

/** What pages have said in toasts, oldest first; what was waited for once is taken out. */
const said = new WeakMap<Page, string[]>();

/** Keeps what the pages of a browser say in toasts: most are gone again after a second and a half. */
export async function hear(context: BrowserContext): Promise<void> {
  await context.exposeBinding('heard', ({ page }, text: string) => {
    said.set(page, [...(said.get(page) ?? []), text]);
  });
  await context.addInitScript(() => {
    const known = new WeakMap<Element, string>();
    new MutationObserver(() => {
      for (const line of document.querySelectorAll('section[aria-label=Messages] p')) {
        const text = line.textContent ?? '';
        if (known.get(line) === text) continue;
        known.set(line, text);
        void (Reflect.get(window, 'heard') as (text: string) => Promise<void>)(text);
      }
    }).observe(document, { subtree: true, childList: true, characterData: true });
  });
}

/** Makes pages what they are over plain HTTP from another machine, where browsers keep some of their own back. */
export const inTheOpen = (context: BrowserContext): Promise<unknown> =>
  context.addInitScript(() => Object.defineProperty(Crypto.prototype, 'randomUUID', { value: undefined }));

/** Waits until a page that is listened to has said so in a toast, since the last one that was waited for. */
export async function told(page: Page, words: string | RegExp): Promise<void> {
  const fits = (text: string): boolean => (typeof words === 'string' ? text.includes(words) : words.test(text));
  const heard = (): string[] => said.get(page) ?? [];
  const wanted = typeof words === 'string' ? expect.stringContaining(words) : expect.stringMatching(words);
  await expect.poll(heard, 'said in toasts').toEqual(expect.arrayContaining([wanted]));
  said.set(page, heard().slice(heard().findIndex(fits) + 1));
}

/** Waits until the clipboard has what fits, which comes there a moment after the press; gives it. */
export async function copied(page: Page, pattern: RegExp): Promise<string> {
  const read = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(read, 'in the clipboard').toMatch(pattern);
  return read();
}

/** Waits until the address is one of the console, and not that of the sign-in page that leads back to it. */
export const inPanel = (page: Page): Promise<void> =>
  expect(page).toHaveURL(({ pathname }) => /^\/panel\b/.test(pathname));

/** Waits until everything that a page shows has come, and stands still. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading').first().waitFor({ state: 'attached' });
  await page.waitForFunction(() => {
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
    // For some frames, so that what follows from one answer has begun.
    const frames = quiet ? Number(Reflect.get(window, 'quietFrames') ?? 0) + 1 : 0;
    Reflect.set(window, 'quietFrames', frames < 5 ? frames : 0);
    return frames === 5;
  });
}
