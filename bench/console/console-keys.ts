import type { BrowserContext, Page } from '@playwright/test';
import { openSlowed, seenBy, settle } from './console-page.ts';

export interface Typed {
  /** Milliseconds from each key press to the next paint. */
  keysMs: number[];
  /** Milliseconds of each task of at least 50 ms while typing. */
  longTasks: number[];
}

/** The results of one key are rendered when the next one arrives: searches wait 300 ms. */
const paceMs = 340;

/** Types into the first search field of an address. */
export async function typeInto(context: BrowserContext, address: string, text: string): Promise<Typed> {
  const { page } = await openSlowed(context);
  await page.goto(address);
  await settle(page);
  const field = page.locator('main').locator('input[type=search], input[role=combobox]').first();
  await field.focus();
  // Loads the code that the first key needs, before the measurement.
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

/** Runs in the page. The time includes the delay until the main thread handles the key press. */
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
