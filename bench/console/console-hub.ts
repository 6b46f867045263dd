import type { APIRequestContext, Browser, BrowserContext } from '@playwright/test';
import { addPictureData } from '../../scripts/screenshots/picture-data.ts';
import { signInTo, startPictureHub } from '../../scripts/screenshots/picture-hub.ts';

export const MODELS = 1000;

export interface ConsoleHub {
  url: string;
  /**
   * A new browser context with an empty cache, signed in as root or signed out. `through` is the address of a proxy on
   * the same host name, `another` a browser to use instead.
   */
  visit(signedIn: boolean, through?: string, another?: Browser): Promise<BrowserContext>;
  stop(): Promise<void>;
}

/** Starts a hub with a week of calls and as many models and prices as a large installation. */
export async function startConsoleHub(browser: Browser): Promise<ConsoleHub> {
  const hub = await startPictureHub(true);
  const operator = await browser.newContext({ baseURL: hub.url });
  const user = JSON.stringify(await signInTo(operator.request));
  await addPictureData(operator.request);
  await addModels(operator.request);
  // Pages set the time zone, so every browser that has signed in has it.
  const timeZone = { name: 'timeZone', value: new Intl.DateTimeFormat().resolvedOptions().timeZone, url: hub.url };
  const cookies = [...(await operator.cookies()), timeZone];
  await operator.close();
  return {
    url: hub.url,
    async visit(signedIn, through = hub.url, another = browser) {
      const context = await another.newContext({
        baseURL: through,
        ignoreHTTPSErrors: true,
        viewport: { width: 1440, height: 900 },
        locale: 'en-US',
      });
      if (!signedIn) return context;
      await context.addCookies(cookies);
      await context.addInitScript((stored) => localStorage.setItem('user', stored), user);
      return context;
    },
    stop: hub.stop,
  };
}

async function addModels(request: APIRequestContext): Promise<void> {
  const models = Array.from({ length: MODELS }, (_, n) => `vendor-${n % 40}/model-${n}`);
  const prices = models.map((model, n) => ({ model, type: 'tokens', channel_type: 1 + (n % 9), input: 1, output: 4 }));
  const channel = { type: 8, name: 'many models', key: 'sk-any', base_url: 'http://127.0.0.1:9' };
  for (const answer of [
    await request.put('/api/prices/multiple', { data: { prices } }),
    await request.post('/api/channel/', { data: { ...channel, models: models.join(',') } }),
  ]) {
    const text = await answer.text();
    if (!(JSON.parse(text) as { success: boolean }).success) throw new Error(`${answer.url()}: ${text}`);
  }
}
