import { firstStartRemark, type Language, type LedgerEntry } from '@relay-hub/contract';
import type { CsvColumn } from '#http/csv.ts';
import { timeWriter } from '#http/csv.ts';
import type { EntryReader } from './entry-names.ts';
import { serverTexts } from '#i18n/texts.ts';

const CREDITS_PER_USD = 500_000;

/** The columns of an export. Amounts are exact in credits and readable in dollars. */
export function ledgerCsv(language: Language, timeZone: string, reader: EntryReader): CsvColumn<LedgerEntry>[] {
  const text = serverTexts(language).csv.ledger;
  const time = timeWriter(timeZone);
  return [
    { heading: `${text.time} (${timeZone || 'UTC'})`, cell: (entry) => time(entry.created_time) },
    ...(reader === 'administrator' ? [{ heading: text.user, cell: (entry: LedgerEntry) => entry.username }] : []),
    { heading: text.kind, cell: (entry) => text.kinds[entry.kind] },
    { heading: text.credits, cell: (entry) => entry.credits },
    { heading: text.usd, cell: (entry) => entry.credits / CREDITS_PER_USD },
    { heading: text.balance, cell: (entry) => entry.balance_after },
    { heading: text.balanceUsd, cell: (entry) => entry.balance_after / CREDITS_PER_USD },
    { heading: text.token, cell: (entry) => entry.token_name },
    { heading: text.reference, cell: (entry) => entry.reference },
    { heading: text.remark, cell: ({ remark }) => (remark === firstStartRemark ? text.firstStart : remark) },
    {
      heading: text.actor,
      cell: (entry) => (reader === 'administrator' && entry.actor_name) || text.actors[entry.actor],
    },
  ];
}
