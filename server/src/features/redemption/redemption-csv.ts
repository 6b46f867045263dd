import type { Language, Redemption, RedemptionFilters } from '@relay-hub/contract';
import { redemptionStatus } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import type { CsvColumn } from '#http/csv.ts';
import { timeWriter } from '#http/csv.ts';
import type { Secrets } from '#secrets.ts';
import { filtered, redemptionFields, withNames } from './redemption-queries.ts';
import { serverTexts } from '#i18n/texts.ts';

interface WholeCode extends Redemption {
  code: string;
}

type CodeStatus = keyof typeof redemptionStatus;

/** The columns of an export, including the full codes. */
export function csvColumns(language: Language, timeZone: string, now: number): CsvColumn<WholeCode>[] {
  const { statuses, ...head } = serverTexts(language).csv.redemption;
  const time = timeWriter(timeZone);
  const zoned = (heading: string) => `${heading} (${timeZone || 'UTC'})`;
  return [
    { heading: head.id, cell: ({ id }) => id },
    { heading: head.name, cell: ({ name }) => name },
    { heading: head.code, cell: ({ code }) => code },
    { heading: head.quota, cell: ({ quota }) => quota },
    { heading: head.status, cell: (row) => statuses[statusOf(row, now)] },
    { heading: zoned(head.created), cell: (row) => time(row.created_time) },
    { heading: head.createdBy, cell: ({ username }) => username },
    { heading: zoned(head.expires), cell: (row) => time(Math.max(0, row.expired_time)) },
    { heading: zoned(head.redeemed), cell: (row) => time(row.redeemed_time) },
    { heading: head.redeemedBy, cell: (row) => row.redeemed_username },
  ];
}

function statusOf({ status, expired_time: expires }: Redemption, now: number): CodeStatus {
  if (status === redemptionStatus.used) return 'used';
  if (status === redemptionStatus.disabled) return 'disabled';
  return expires !== -1 && expires <= now ? 'expired' : 'enabled';
}

const ROWS_A_READ = 500;

/** The matching codes, newest first, read on demand. */
export async function* codesOf(
  db: Db,
  secrets: Secrets,
  filters: RedemptionFilters,
  now: number,
): AsyncGenerator<WholeCode, void> {
  for (let below = Number.MAX_SAFE_INTEGER; ;) {
    const rows = await filtered(db, filters, now)
      .where('id', '<', below)
      .select([...redemptionFields, 'key_cipher'])
      .orderBy('id', 'desc')
      .limit(ROWS_A_READ)
      .execute();
    const codes = new Map(rows.map(({ id, key_cipher: cipher }) => [id, secrets.decrypt(cipher)]));
    for (const row of await withNames(db, rows)) yield { ...row, code: codes.get(row.id) ?? '' };
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_A_READ) return;
    below = last.id;
  }
}
