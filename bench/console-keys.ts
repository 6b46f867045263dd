import type { BrowserContext, Page } from '@playwright/test';
import { openSlowed, seenBy, settle } from './console-page.ts';

export interface Typed {
  /** Of each key: milliseconds from the press to the paint after it. */
  keysMs: number[];
  /** Milliseconds of each task of at least 50 while somebody typed. */
  longTasks: number[];
}

/** A key comes while what the one before it has found is being drawn: searches wait 300 ms. */
const paceMs = 340;

/** Types into the first search field of an address. */
export async function typeInto(context: BrowserContext, address: string, text: string): Promise<Typed> {
  const { page } = await openSlowed(context);
  await page.goto(address);
  await settle(page);
  const field = page.locator('main').locator('input[type=search], input[role=combobox]').first();
  await field.focus();
  // What comes with the first key comes before the measurement.
  await page.keyboard.press('x');
  await page.keyboard.press('Backspace');
  await page.waitForTimeout(2 * paceMs);
  const before = (await seenBy(page)).longTasks.length;
  await page.evaluate(watchKeys);
  for (const key of text) {
    await page.keyboard.press(key);
    await page.waitForTimeout(paceMs);
  }
  await page.waitForTimeout(2 * paceMs);
  const typed = { keysMs: await keysOf(page), longTasks: (await seenBy(page)).longTasks.slice(before) };
  await page.close();
  if (typed.keysMs.length !== text.length) throw new Error(`${address}: not every key arrived`);
  return typed;
}

const keysOf = (page: Page): Promise<number[]> =>
  page.evaluate(() => (globalThis as unknown as { keys: number[] }).keys);

/** Runs in the page: a key's time begins with the press itself, and so has in it what it waited for the thread. */
function watchKeys(): void {
  const keys: number[] = [];
  Object.assign(globalThis, { keys });
  const painted = new MessageChannel();
  const pressed: number[] = [];
  painted.port1.addEventListener('message', () => {
    const at = pressed.shift();
    if (at !== undefined) keys.push(performance.now() - at);
  });
  painted.port1.start();
  addEventListener(
    'keydown',
    ({ timeStamp }) => {
      pressed.push(timeStamp);
      requestAnimationFrame(() => painted.port2.postMessage(0));
    },
    true,
  );
}
