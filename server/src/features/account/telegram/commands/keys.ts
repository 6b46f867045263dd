import type { Deps } from '#deps.ts';
import { listTokens } from '#features/token/token-queries.ts';
import { filled } from '../telegram-texts.ts';
import type { BotTexts } from '#i18n/text-types.ts';

const PER_PAGE = 5;

export interface KeysPage {
  text: string;
  page: number;
  pages: number;
  /** Where tokens are managed; undefined: the address of the site is not known. */
  link: { text: string; url: string } | undefined;
}

/** A page of a user's tokens with masked keys: whole ones are only shown on the site. */
export async function keysPage(
  { db, live, now }: Pick<Deps, 'db' | 'live' | 'now'>,
  userId: number,
  wanted: number,
  texts: BotTexts,
): Promise<KeysPage> {
  const query = { size: PER_PAGE, order: '-id', keyword: '', tag: '', status: 0 };
  const { data, total_count: total } = await listTokens(db, userId, { ...query, page: Math.max(1, wanted) }, now());
  const { ServerAddress: site } = live.settings;
  const link = site === '' ? undefined : { text: texts.openKeys, url: `${site}/panel/token` };
  const pages = Math.max(1, Math.ceil(total / PER_PAGE));
  const page = Math.min(Math.max(1, wanted), pages);
  if (total === 0) return { text: texts.noKeys, page, pages, link };
  const lines = data.map(({ name, key }) => `• ${name}: ${key}`);
  const place = pages > 1 ? [filled(texts.page, { page, pages })] : [];
  return { text: [filled(texts.keys, { total }), ...lines, ...place].join('\n'), page, pages, link };
}
