import { readFileSync } from 'node:fs';
import type { Browser } from '@playwright/test';

export interface Picture {
  file: string;
  label: string;
  /** CSS pixels of the captured viewport. */
  width: number;
}

/** Writes one picture with thumbnails of all pictures of a screen: wide ones first, in the given order. */
export async function contactSheet(
  browser: Browser,
  title: string,
  pictures: readonly Picture[],
  file: string,
): Promise<void> {
  const page = await browser.newPage({ viewport: { width: sheetWidth, height: 400 } });
  await page.setContent(sheetOf(title, pictures));
  await page.evaluate(() => Promise.all([...document.images].map((image) => image.decode())));
  await page.screenshot({ path: file, fullPage: true });
  await page.close();
}

const sheetWidth = 1960;
const phoneWidth = 600;

function sheetOf(title: string, pictures: readonly Picture[]): string {
  const wide = pictures.filter(({ width }) => width >= phoneWidth);
  const narrow = pictures.filter(({ width }) => width < phoneWidth);
  return `<!doctype html><style>
    body { margin: 16px; font: 13px sans-serif; background: #808894; color: #fff }
    section { display: grid; gap: 12px; margin-top: 12px }
    figure { margin: 0 } img { display: block; width: 100% }
    </style><b>${title}</b>
    <section style="grid-template-columns: repeat(4, 1fr)">${wide.map(figureOf).join('')}</section>
    <section style="grid-template-columns: repeat(8, 1fr)">${narrow.map(figureOf).join('')}</section>`;
}

const figureOf = ({ file, label }: Picture): string =>
  `<figure>${label}<img src="data:image/png;base64,${readFileSync(file).toString('base64')}"></figure>`;
