import type { AnyRouter } from '@tanstack/react-router';
import { currentUser } from '#api/session.ts';
import { storage } from '#api/storage.ts';
import { menuEntries, type MenuTitle, type ScreenEntry } from '../menu.ts';

/** Second letter after `g`, by page. */
const pageKeys: Partial<Record<MenuTitle, string>> = {
  dashboard: 'd',
  analytics: 'a',
  playground: 'p',
  user: 'u',
  incident: 'i',
  channel: 'c',
  pricing: 'm',
  token: 't',
  audit: 'h',
  payment: 'o',
  topup: 'w',
  books: 'b',
  log: 'l',
  usage: 'y',
  setting: 's',
};

/** The pages that the user may open by two keys, in the order of the menu. */
export const pagesByKey = (router: AnyRouter): (ScreenEntry & { key: string })[] =>
  menuEntries(router, currentUser()).flatMap((entry) => {
    const key = pageKeys[entry.titleKey];
    return key === undefined || entry.hidden ? [] : [{ ...entry, key }];
  });

const stored = 'keys';

/** Whether single keys are shortcuts; stored in this browser, as speech input can press them by accident. */
export const areKeysOn = (): boolean => storage.get(stored) !== 'off';
export const setKeysOn = (on: boolean): void => storage.set(stored, on ? 'on' : 'off');

const secondKeyMs = 1500;
let waitsUntil = 0;

interface Targets {
  router: AnyRouter;
  onSheet: () => void;
}

/** Handles a key that was pressed outside of fields and dialogs. */
export function press(key: string, { router, onSheet }: Targets): void {
  if (!areKeysOn()) return;
  const isSecond = Date.now() < waitsUntil;
  waitsUntil = 0;
  if (isSecond) {
    const page = pagesByKey(router).find((each) => each.key === key);
    if (page) return void router.navigate({ to: page.path });
  }
  if (key === '?') onSheet();
  else if (key === '/')
    document.querySelector<HTMLInputElement>('main [data-search], main input[type=search]')?.focus();
  else if (key === 'j' || key === 'k') walkRows(key === 'j' ? 1 : -1);
  else if (key === 'g') waitsUntil = Date.now() + secondKeyMs;
}

/** Moves the focus to the next or previous row of the list, starting at the focused or open one. */
function walkRows(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  const focused = rows.findIndex((row) => row.contains(document.activeElement));
  const at = focused >= 0 ? focused : rows.findIndex((row) => row.dataset['active'] !== undefined);
  rows[Math.min(rows.length - 1, Math.max(0, at < 0 ? 0 : at + by))]?.focus();
}
