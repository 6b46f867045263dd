import { siteApi } from '@relay-hub/contract';
import { creditsText } from '../../server/src/quota/credits-text.ts';
import { type HubClient, plain } from './hub-client.ts';

export const say = (text: string): void => void process.stdout.write(`${text}\n`);
export const sayJson = (value: unknown): void => say(JSON.stringify(value, undefined, 2));

export type Cell = string | number | boolean | null;

/** Rows under their headings; numbers to the right. Control characters of names become spaces. */
export function table(headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
  if (rows.length === 0) return 'None.';
  const cells = rows.map((row) => row.map((cell) => plain(cell === null ? '' : String(cell))));
  const widths = headings.map((heading, i) => Math.max(widthOf(heading), ...cells.map((row) => widthOf(row[i] ?? ''))));
  const isNumber = headings.map((_, i) => rows.every((row) => typeof row[i] === 'number'));
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) => {
        const space = ' '.repeat(Math.max(0, (widths[i] ?? 0) - widthOf(cell)));
        return isNumber[i] ? space + cell : cell + space;
      })
      .join('  ')
      .trimEnd();
  return [headings, ...cells].map(line).join('\n');
}

/** Columns that a text takes in a terminal: Chinese and Japanese characters take two. */
const widthOf = (text: string): number =>
  Array.from(text).reduce((sum, char) => sum + (/[ᄀ-ᅟ⺀-꓏가-힣豈-﫿︰-﹏＀-｠￠-￦]/u.test(char) ? 2 : 1), 0);

/** Local date and time of Unix seconds; empty for 0. */
export function timeText(seconds: number): string {
  if (seconds <= 0) return '';
  const at = new Date(seconds * 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${date} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** How the hub shows credits. */
export async function moneyOf(hub: HubClient): Promise<(credits: number) => string> {
  const site = await hub.call(siteApi.status);
  const display = { DisplayInCurrencyEnabled: site.display_in_currency, QuotaPerUnit: site.quota_per_unit };
  return (credits) => creditsText(credits, display);
}
