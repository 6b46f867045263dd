import { type DrivenBrowser, drivenBrowsers } from './driven-browser.ts';
import { callsOf, expect, test } from './hub.ts';

/** Core journeys in the engines of Firefox and Safari. */

/** The first visible element of a selector whose text or name contains a text. */
const found = (selector: string, text = ''): string =>
  `[...document.querySelectorAll(${JSON.stringify(selector)})].find((each) => each.checkVisibility() && ` +
  `(each.textContent + (each.ariaLabel ?? '')).includes(${JSON.stringify(text)}))`;

class Visitor {
  private readonly browser: DrivenBrowser;
  constructor(browser: DrivenBrowser) {
    this.browser = browser;
  }
  async sees(selector: string, text?: string): Promise<void> {
    await expect
      .poll(() => this.browser.evaluate(`Boolean(${found(selector, text)})`), { message: `${selector} ${text ?? ''}` })
      .toBe(true);
  }
  async clicks(selector: string, text?: string): Promise<void> {
    await this.sees(selector, text);
    const at = (await this.browser.evaluate(`(() => {
      const element = ${found(selector, text)};
      element.scrollIntoView({ block: 'center', behavior: 'instant' });
      const { x, y, width, height } = element.getBoundingClientRect();
      return { x: Math.round(x + width / 2), y: Math.round(y + height / 2) };
    })()`)) as { x: number; y: number };
    const actions = [
      { type: 'pointerMove', ...at },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ];
    await this.browser.perform([{ type: 'pointer', id: 'mouse', actions }]);
  }
  async types(text: string): Promise<void> {
    const actions = Array.from(text).flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ]);
    await this.browser.perform([{ type: 'key', id: 'keys', actions }]);
  }
  async saves(): Promise<void> {
    const actions = [
      { type: 'keyDown', value: control },
      { type: 'keyDown', value: enter },
      { type: 'keyUp', value: enter },
      { type: 'keyUp', value: control },
    ];
    await this.browser.perform([{ type: 'key', id: 'keys', actions }]);
  }
}

/** Keys of WebDriver. */
const enter = String.fromCodePoint(0xe0_07);
const control = String.fromCodePoint(0xe0_09);
const screens = ['dashboard', 'analytics', 'log', 'channel', 'pricing', 'user', 'setting', 'topup', 'profile'];

for (const [name, drive] of Object.entries(drivenBrowsers))
  test(`${name}: sign in, create a token, chat, and read the call in the log`, async ({ hub, upstream }) => {
    test.skip(!drive, `${name} is not installed; see CONTRIBUTING.md`);
    if (!drive) return;
    const api = await callsOf(hub);
    const channel = { type: 8, name: 'c', key: 'sk-c', base_url: upstream.url, models: 'gpt-4o-mini' };
    expect(await (await api.post('/api/channel/', { data: channel })).json()).toMatchObject({ success: true });
    await api.dispose();
    const browser = await drive();
    try {
      const visitor = new Visitor(browser);
      await browser.goto(`${hub.url}/login?lng=en_US`);
      await visitor.clicks('input[name=username]');
      await visitor.types('root');
      await visitor.clicks('input[name=password]');
      await visitor.types(hub.rootPassword + enter);
      await visitor.sees('h1', 'Dashboard');

      await browser.goto(`${hub.url}/panel/token?edit=new`);
      await visitor.clicks('dialog input, [role=dialog] input');
      await visitor.types('agent');
      await visitor.saves();
      await visitor.sees('dialog pre, [role=dialog] pre, dialog code, [role=dialog] code');

      await browser.goto(`${hub.url}/panel/playground`);
      await visitor.clicks('textarea');
      await visitor.types(`Hello${enter}`);
      await visitor.sees('article', 'How can I help you today');

      await browser.goto(`${hub.url}/panel/log`);
      await visitor.clicks('td', 'gpt-4o-mini');
      await visitor.sees('dialog h3, [role=dialog] h3');

      for (const screen of screens) {
        await browser.goto(`${hub.url}/panel/${screen}`);
        await visitor.sees('main h1');
        const width = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
        expect(await browser.evaluate(width), screen).toBe(0);
        expect(await browser.evaluate("document.body.innerText.includes('went wrong')"), screen).toBe(false);
      }
    } finally {
      await browser.close();
    }
  });
