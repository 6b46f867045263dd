import { type Act, button, first, until } from './screen-acts.ts';
import type { Screen } from './screen.ts';

/** Bills of providers, what-if reports and the statement of a month. */
export const booksScreens = (): Screen[] =>
  [
    { name: 'books-bill-chosen', ...onBooks, act: chooseBill },
    { name: 'books-bill-compared', ...onBooks, act: first(chooseBill, button('bill:compare'), toCard('bill:title')) },
    {
      name: 'books-bill-closed',
      ...onBooks,
      act: first(pressIn('bill:keptTitle', 'bill:show', 0), toCard('bill:keptTitle')),
    },
    {
      name: 'books-bill-open',
      ...onBooks,
      act: first(pressIn('bill:keptTitle', 'bill:show', 1), toCard('bill:keptTitle')),
    },
    { name: 'books-bill-close', ...onBooks, act: pressIn('bill:keptTitle', 'bill:close') },
    { name: 'books-bill-reopen', ...onBooks, act: pressIn('bill:keptTitle', 'bill:reopen') },
    { name: 'books-account-new', ...onBooks, act: pressIn('bill:keptTitle', 'bill:sourceAdd') },
    { name: 'books-account-edit', ...onBooks, act: pressIn('bill:keptTitle', 'bill:edit') },
    { name: 'books-what-if', ...onBooks, act: toCard('whatIf:title') },
    {
      name: 'books-what-if-report',
      ...onBooks,
      act: first(pressIn('whatIf:title', 'whatIf:open'), toCard('whatIf:title')),
    },
    { name: 'statement', address: '/panel/topup/statement' },
  ].map((screen): Screen => ({ ...screen, dataOnly: true }));

const onBooks = { address: '/panel/books' };

/** Scrolls to a card by its title. */
function toCard(title: string): Act {
  return (page, t) =>
    page
      .getByRole('region', { name: t(title), exact: true })
      .evaluate((card) => globalThis.scrollTo(0, card.getBoundingClientRect().top + scrollY - 72));
}

/** Clicks the nth button of a name in a card. */
function pressIn(title: string, name: string, at = 0): Act {
  return (page, t) =>
    page
      .getByRole('region', { name: t(title), exact: true })
      .getByRole('button', { name: t(name), exact: true })
      .nth(at)
      .click();
}

/** Chooses a table whose columns are not those of a known provider. */
const chooseBill: Act = async (page, t) => {
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  const rows = [1, 2, 3].flatMap((ago) => [`${day(ago)},gpt-4o,41,12.5`, `${day(ago)},gpt-4.1-mini,18,0.75`]);
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles({
      name: 'bill.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`Usage day,Model name,Request count,Amount CNY\n${rows.join('\n')}\n`),
    });
  await until('bill:channels')(page, t);
};
