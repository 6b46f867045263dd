import type { BrowserContext, Page } from '@playwright/test';
import { openSlowed, settle } from './console-page.ts';

/** Milliseconds of each navigation to a page that was visited before: from the click to the paint of the new page. */
export interface Walked {
  to: string;
  changesMs: number[];
}

/** Pages that are visited in a circle. */
export const walk = ['/panel/dashboard', '/panel/log', '/panel/token', '/panel/channel'];
const ROUNDS = 5;

/** Navigates with the links of the menu; `slowdown` is the CPU throttling factor. */
export async function walkRoutes(context: BrowserContext, slowdown: number): Promise<Walked[]> {
  const { page } = await openSlowed(context, false, slowdown);
  await page.goto(walk.at(-1)!);
  await settle(page);
  await page.evaluate(watchChanges);
  // The first visit loads the code of a page.
  for (const to of walk) await goTo(page, to);
  const walked = walk.map((to): Walked => ({ to, changesMs: [] }));
  for (let round = 0; round < ROUNDS; round++)
    for (const { to, changesMs } of walked) changesMs.push(await goTo(page, to));
  await page.close();
  return walked;
}

async function goTo(page: Page, to: string): Promise<number> {
  await page.locator(`nav a[href="${to}"]`).first().click();
  const ms = await page.waitForFunction(
    (path) => (Reflect.get(globalThis, 'changed') as Map<string, number>).get(path),
    to,
  );
  const taken = (await ms.jsonValue()) ?? 0;
  await page.evaluate((path) => (Reflect.get(globalThis, 'changed') as Map<string, number>).delete(path), to);
  await settle(page);
  return taken;
}

/** Runs in the page. A navigation ends with the paint of the new heading and the content below it. */
function watchChanges(): void {
  const changed = new Map<string, number>();
  Object.assign(globalThis, { changed });
  addEventListener(
    'click',
    ({ target, timeStamp }) => {
      const link = target instanceof Element ? target.closest<HTMLAnchorElement>('nav a[href]') : undefined;
      if (!link) return;
      const heading = (): string => document.querySelector('main h1')?.textContent ?? '';
      const { pathname } = link;
      const before = heading();
      const look = (): void => {
        const there = heading() !== before && location.pathname === pathname;
        if (!there || document.querySelector('main [aria-busy=true]')) return void requestAnimationFrame(look);
        const painted = new MessageChannel();
        painted.port1.addEventListener('message', () => changed.set(pathname, performance.now() - timeStamp));
        painted.port1.start();
        painted.port2.postMessage(0);
      };
      requestAnimationFrame(look);
    },
    true,
  );
}
