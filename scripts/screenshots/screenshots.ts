import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import type { BrowserContext, Page } from '@playwright/test';
import { readCommand, text, whole } from '../../server/src/process/command-line.ts';
import { launchChromium, withoutFirstReplies } from '../lib/browser.ts';
import { buildConsole } from '../lib/console.ts';
import { contactSheet, type Picture } from './contact-sheet.ts';
import { startTelegram } from '../../testing/elsewhere/local-telegram.ts';
import { startUpstream } from '../../testing/upstream-simulator/start-upstream.ts';
import { addMuch, addPictureData, type Named, turnOnTwoStep } from './picture-data.ts';
import { type PictureHub, proveAnew, signInTo, startPictureHub } from './picture-hub.ts';
import { root, say } from '../lib/run.ts';
import { answering } from './screen-acts.ts';
import type { Screen } from './screen.ts';
import { screensOf } from './screens.ts';
import { loadTexts } from '../lib/texts.ts';

const chosen = readCommand({
  name: 'tool screenshots',
  about:
    'Captures every screen of the built console into screenshots/: filled and empty, light and dark, desktop and phone, with ' +
    'a contact sheet per screen; and the pictures of the README into docs/pictures.',
  options: {
    only: text('<screens>', 'such as log,channel-*; default: all', '*'),
    as: text('<variants>', 'such as full-*-dark-*; default: all', '*'),
    languages: text('<languages>', 'default: zh_CN,en_US', 'zh_CN,en_US'),
    height: whole('<pixels>', 'such as 2600, to show the content below the fold', undefined, 1),
    width: whole('<pixels>', "the desktop's; 2560 shows half of it at a zoom of 200 %", undefined, 1),
  },
});
const fits = (name: string, globs: string): boolean => globs.split(',').some((glob) => path.matchesGlob(name, glob));
const folder = path.join(root, 'screenshots');
const readmeFolder = path.join(root, 'docs/pictures');
const atOnce = 3;
const inOnePart = 24;
/** Milliseconds without a request. */
const quietFor = 450;
const longestWait = 5000;
const longestAct = 15_000;
/** Addresses that open an overlay. */
const opens = /[?&](edit|id|show|open|adjust|why|kin|history)=|topup\?order=/u;

/** Pictures of the README, by their captured file. */
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
const viewports = {
  desktop: { width: chosen.width ?? 1440, height: chosen.height ?? 900 },
  phone: { width: 390, height: chosen.height ?? 844 },
};
/** One session per user, because the list of sessions is a screen. */
const sessions: Record<string, ReturnType<typeof sessionOf>> = {};
const nameOf = ({ state, size, theme, language }: Variant): string => `${state}-${size}-${theme}-${language}`;

await buildConsole();
const browser = await launchChromium();
const upstream = await startUpstream({});
const telegram = await startTelegram();
const [full, empty] = [await startPictureHub(true), await startPictureHub(false)];
let failures = 0;
try {
  const outside = await browser.newContext({ baseURL: full.url });
  await signInElsewhere();
  await signInTo(outside.request);
  await addPictureData(outside.request);
  const named = await addMuch(outside.request, upstream.url, telegram);
  await withTwoStep(named.plain);
  const screens = screensOf(named).filter(({ name }) => fits(name, chosen.only));
  await outside.close();
  const variants = everyVariant();
  // Split into parts, so that all workers stay busy until the end.
  const waiting = variants.flatMap((variant) => partsOf(screens).map((part) => [variant, part] as const));
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await takeAll(...next, named);
    }),
  );
  for (const screen of screens) await addSheet(screen, variants);
  for (const [name, taken] of Object.entries(forReadme)) {
    const isTaken = screens.some((screen) => variants.some((variant) => fileOf(screen, variant).endsWith(`/${taken}`)));
    if (isTaken && !chosen.height && !chosen.width)
      copyFileSync(path.join(folder, taken), path.join(readmeFolder, name));
  }
  say(`${screens.length} screens are in ${path.relative(process.cwd(), folder)}; a sheet of each is in its sheets/`);
} finally {
  await browser.close();
  await Promise.all([full.stop(), empty.stop(), upstream.close(), telegram.close()]);
}
if (failures > 0) throw new Error(`${failures} pictures could not be taken; see above`);

function everyVariant(): Variant[] {
  const all = (['full', 'empty'] as const).flatMap((state) =>
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
  return all.filter((variant) => fits(nameOf(variant), chosen.as));
}

function partsOf(screens: readonly Screen[]): Screen[][] {
  const parts = Math.ceil(screens.length / inOnePart);
  return Array.from({ length: parts }, (_, at) => screens.slice(at * inOnePart, (at + 1) * inOnePart));
}

function shows(screen: Screen, { state, size }: Variant): boolean {
  return (state === 'full' || !screen.dataOnly) && (screen.only ?? size) === size;
}

/** Creates further sessions for the device list of the profile. */
async function signInElsewhere(): Promise<void> {
  for (const userAgent of otherDevices) {
    const context = await browser.newContext({ baseURL: full.url, userAgent });
    await signInTo(context.request);
    await context.close();
  }
}

/** Signs the user in with the password alone, then requires a second factor. */
async function withTwoStep(plain: Named['plain']): Promise<void> {
  const context = await browser.newContext({ baseURL: full.url });
  const session = sessionOf(context, plain);
  sessions['full user'] = session;
  await session;
  await turnOnTwoStep(context.request);
  await context.close();
}

async function sessionOf(context: BrowserContext, credentials?: Named['plain']) {
  const user = JSON.stringify(await signInTo(context.request, credentials));
  return { user, cookies: await context.cookies() };
}

/** Captures every screen of a variant, as visitor, user and root. */
async function takeAll(variant: Variant, screens: readonly Screen[], { plain, notice }: Named): Promise<void> {
  for (const as of ['visitor', 'user', undefined] as const) {
    const mine = screens.filter((screen) => shows(screen, variant) && screen.as === as);
    if (mine.length === 0) continue;
    const context = await browser.newContext({
      viewport: viewports[variant.size],
      baseURL: variant.hub.url,
      reducedMotion: 'reduce',
    });
    context.setDefaultTimeout(longestAct);
    const session =
      as === 'visitor'
        ? undefined
        : await (sessions[`${variant.state} ${as}`] ??= sessionOf(context, as === 'user' ? plain : undefined));
    if (session) {
      await context.addCookies(session.cookies);
      await proveAnew(context.request, as === 'user' ? plain.password : undefined);
    }
    await context.addInitScript(
      (stored: Record<string, string>) => {
        for (const [key, value] of Object.entries(stored)) localStorage.setItem(key, value);
      },
      // Otherwise the announcement would open in each picture.
      { theme: variant.theme, appLanguage: variant.language, notice, ...(session && { user: session.user }) },
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
  const t = await loadTexts(variant.language);
  const quiet = untilQuiet(page);
  if (screen.firstVisit) await page.addInitScript(() => localStorage.removeItem('siteInfo'));
  if (screen.answers) await withoutFirstReplies(page);
  for (const [address, answer] of Object.entries(screen.answers ?? {})) await answering(address, answer)(page, t);
  await page.goto(screen.address);
  await page.getByRole('heading').first().waitFor({ state: 'attached' });
  if (opens.test(screen.address)) await page.getByRole('dialog').first().waitFor();
  await quiet();
  if (screen.act) {
    await screen.act(page, t);
    await quiet();
  }
  const file = fileOf(screen, variant);
  mkdirSync(path.dirname(file), { recursive: true });
  await page.screenshot({ path: file });
}

function fileOf(screen: Screen, variant: Variant): string {
  return path.join(folder, screen.name, `${nameOf(variant)}.png`);
}

/** Resolves after a moment without requests; lazy requests follow the ones that triggered them. */
function untilQuiet(page: Page): () => Promise<void> {
  const loading = new Set<object>();
  let since = Date.now();
  const change = (): void => void (since = Date.now());
  page.on('request', (request) => {
    // The live view's stream never ends.
    if (request.url().endsWith('/api/dashboard/live')) return;
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

async function addSheet(screen: Screen, variants: readonly Variant[]): Promise<void> {
  const pictures = variants
    .filter((variant) => shows(screen, variant) && existsSync(fileOf(screen, variant)))
    .map((variant): Picture => ({
      file: fileOf(screen, variant),
      label: nameOf(variant).replaceAll('-', ' · '),
      width: viewports[variant.size].width,
    }));
  const sheets = path.join(folder, 'sheets');
  mkdirSync(sheets, { recursive: true });
  await contactSheet(browser, `${screen.name}: ${screen.address}`, pictures, path.join(sheets, `${screen.name}.png`));
}
