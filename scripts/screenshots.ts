import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Browser, type BrowserContext, type Page } from '@playwright/test';
import { launchChromium } from './lib-browser.ts';
import { buildConsole } from './lib-console.ts';
import { contactSheet, type Picture } from './lib-contact-sheet.ts';
import { addPictureData, signInAsRoot, startPictureHub, type PictureHub } from './lib-picture-hub.ts';
import { root, say } from './lib-run.ts';
import { screensOf, type Screen } from './lib-screens.ts';

/**
 * Takes pictures of every screen of the built console, full and empty, in both themes, on desk and phone, with a sheet
 * of small ones for each screen, into `screenshots/`; and those of the README into `docs/pictures`.
 * `--only log,token` takes these screens alone; `--languages ja_JP,zh_HK` others than zh_CN and en_US.
 */
const { values: chosen } = parseArgs({
  options: { only: { type: 'string' }, languages: { type: 'string', default: 'zh_CN,en_US' } },
});
const folder = path.join(root, 'screenshots');
const readmeFolder = path.join(root, 'docs/pictures');
const atOnce = 3;
/** Milliseconds. */
const quietFor = 450;
const longestWait = 5000;
const longestAct = 15_000;

/** What stands in the README, and which of the pictures it is. */
const forReadme: Record<string, string> = {
  'dashboard.png': 'dashboard/full-desktop-light-en_US.png',
  'log-detail.png': 'log-detail/full-desktop-dark-en_US.png',
  'channels.png': 'channel/full-desktop-light-en_US.png',
  'prices-phone.png': 'price/full-phone-light-en_US.png',
};

interface Variant {
  hub: PictureHub;
  state: 'full' | 'empty';
  size: 'desktop' | 'phone';
  theme: 'light' | 'dark';
  language: string;
}
const otherDevices = [
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0',
];
const viewports = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };
/** One for all pictures of a hub: the list of sessions is one of the screens. */
const sessions: Partial<Record<Variant['state'], ReturnType<typeof sessionOf>>> = {};
const nameOf = ({ state, size, theme, language }: Variant): string => `${state}-${size}-${theme}-${language}`;

await buildConsole();
const browser = await launchChromium();
const [full, empty] = [await startPictureHub(true), await startPictureHub(false)];
let failures = 0;
try {
  const outside = await browser.newContext({ baseURL: full.url });
  await signInElsewhere();
  await signInAsRoot(outside.request);
  const screens = screensOf(await addPictureData(outside.request)).filter(
    ({ name }) => chosen.only === undefined || chosen.only.split(',').includes(name),
  );
  await outside.close();
  const variants = everyVariant();
  const waiting = [...variants];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await takeAll(browser, next, screens);
    }),
  );
  for (const screen of screens) await addSheet(browser, screen, variants);
  for (const [name, taken] of Object.entries(forReadme)) {
    if (screens.some((screen) => taken.startsWith(`${screen.name}/`)) && chosen.languages.includes('en_US'))
      copyFileSync(path.join(folder, taken), path.join(readmeFolder, name));
  }
  say(`${screens.length} screens are in ${path.relative(process.cwd(), folder)}; a sheet of each is in its sheets/`);
} finally {
  await browser.close();
  await Promise.all([full.stop(), empty.stop()]);
}
if (failures > 0) throw new Error(`${failures} pictures could not be taken; see above`);

function everyVariant(): Variant[] {
  return (['full', 'empty'] as const).flatMap((state) =>
    (['desktop', 'phone'] as const).flatMap((size) =>
      chosen.languages.split(',').flatMap((language) =>
        (['light', 'dark'] as const).map((theme) => ({
          hub: state === 'full' ? full : empty,
          state,
          size,
          theme,
          language,
        })),
      ),
    ),
  );
}

function shows(screen: Screen, { state, size }: Variant): boolean {
  return (state === 'full' || !screen.dataOnly) && (screen.only ?? size) === size;
}

/** So that the profile has other devices to show. */
async function signInElsewhere(): Promise<void> {
  for (const userAgent of otherDevices) {
    const context = await browser.newContext({ baseURL: full.url, userAgent });
    await signInAsRoot(context.request);
    await context.close();
  }
}

async function sessionOf(context: BrowserContext) {
  const user = JSON.stringify(await signInAsRoot(context.request));
  return { user, cookies: await context.cookies() };
}

/** One picture of every screen that this variant has, signed out first. */
async function takeAll(within: Browser, variant: Variant, screens: readonly Screen[]): Promise<void> {
  for (const signedOut of [true, false]) {
    const mine = screens.filter((screen) => shows(screen, variant) && (screen.signedOut ?? false) === signedOut);
    if (mine.length === 0) continue;
    const context = await within.newContext({
      viewport: viewports[variant.size],
      baseURL: variant.hub.url,
      reducedMotion: 'reduce',
    });
    context.setDefaultTimeout(longestAct);
    const session = signedOut ? undefined : await (sessions[variant.state] ??= sessionOf(context));
    if (session) await context.addCookies(session.cookies);
    await context.addInitScript(
      (stored: Record<string, string>) => {
        for (const [key, value] of Object.entries(stored)) localStorage.setItem(key, value);
      },
      { theme: variant.theme, appLanguage: variant.language, ...(session && { user: session.user }) },
    );
    for (const screen of mine) {
      const page = await context.newPage();
      await take(page, screen, variant).catch((error: unknown) => {
        failures += 1;
        say(`${screen.name} ${nameOf(variant)}: ${String(error)}`);
      });
      await page.close();
    }
    await context.close();
  }
}

async function take(page: Page, screen: Screen, variant: Variant): Promise<void> {
  const quiet = untilQuiet(page);
  await page.goto(screen.address);
  await page.getByRole('heading').first().waitFor({ state: 'attached' });
  await quiet();
  if (screen.act) {
    await screen.act(page);
    await quiet();
  }
  const file = fileOf(screen, variant);
  mkdirSync(path.dirname(file), { recursive: true });
  await page.screenshot({ path: file });
}

function fileOf(screen: Screen, variant: Variant): string {
  return path.join(folder, screen.name, `${nameOf(variant)}.png`);
}

/** Resolves when nothing has been loading for a moment. What is loaded late is asked for by what was loaded before. */
function untilQuiet(page: Page): () => Promise<void> {
  const loading = new Set<object>();
  let since = Date.now();
  const change = (): void => void (since = Date.now());
  page.on('request', (request) => {
    // The log's news come for as long as the page is open.
    if (request.resourceType() === 'eventsource') return;
    loading.add(request);
    change();
  });
  for (const event of ['requestfinished', 'requestfailed'] as const) {
    page.on(event as 'requestfinished', (request) => {
      loading.delete(request);
      change();
    });
  }
  return async () => {
    const last = Date.now() + longestWait;
    since = Date.now();
    while (Date.now() < last && (loading.size > 0 || Date.now() - since < quietFor)) await page.waitForTimeout(50);
  };
}

async function addSheet(within: Browser, screen: Screen, variants: readonly Variant[]): Promise<void> {
  const pictures = variants
    .filter((variant) => shows(screen, variant) && existsSync(fileOf(screen, variant)))
    .map((variant): Picture => ({
      file: fileOf(screen, variant),
      label: nameOf(variant).replaceAll('-', ' · '),
      width: viewports[variant.size].width,
    }));
  const sheets = path.join(folder, 'sheets');
  mkdirSync(sheets, { recursive: true });
  await contactSheet(within, `${screen.name}: ${screen.address}`, pictures, path.join(sheets, `${screen.name}.png`));
}
