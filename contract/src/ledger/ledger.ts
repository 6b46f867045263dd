import * as z from 'zod/mini';
import { csvFile, downloadOptions, ownDownloadOptions } from '../download.ts';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { correctionInput } from './ledger-input.ts';
import { listQuery, numberFilter, pageOf, textFilter } from '../list.ts';
import { credits, id, idParam, quota, seconds } from '../values.ts';
import { entryKinds, type LedgerKind } from './codes.ts';

/** A ledger entry. It never changes, except that old charges of calls may become one per account and day. */
export const ledgerEntry = z.object({
  id,
  user_id: id,
  username: z.string(),
  /** The token of a call; null for everything else. */
  token_id: z.nullable(z.int()),
  token_name: z.string(),
  kind: z.enum(entryKinds),
  /** Positive adds, negative removes. */
  credits,
  /** Balance after the entry, including credits reserved by open calls. */
  balance_after: credits,
  /**
   * Unique reference: `call:` and the request id of a call, `calls:` with their number and an id for charges that became
   * one, `redemption:` and the id of a code.
   */
  reference: z.string(),
  /** Users do not see which administrator: id 0 and an empty name. */
  actor: z.enum(['owner', 'administrator', 'system']),
  actor_id: z.int(),
  actor_name: z.string(),
  remark: z.string(),
  created_time: seconds,
});
export type LedgerEntry = z.infer<typeof ledgerEntry>;

/** Both columns give the same order: by time of booking. */
export const ledgerColumns = ['created_time', 'id'] as const;

/** `topup,gift`; empty: all kinds. */
const kindsFilter = z.prefault(
  z.pipe(
    z.string().check(z.refine((list) => kindsOf(list).every(isEntryKind), { error: 'ledger.kind' })),
    z.transform((list: string) => kindsOf(list).filter(isEntryKind)),
  ),
  '',
);

const kindsOf = (list: string): string[] => list.split(',').filter((kind) => kind !== '');
const isEntryKind = (kind: string): kind is LedgerKind => entryKinds.some((each) => each === kind);

const period = {
  /** Unix seconds, both inclusive. */
  start_timestamp: numberFilter,
  end_timestamp: numberFilter,
};
const own = {
  ...period,
  kind: kindsFilter,
  /** A request id or a complete reference; except for calls, also a part of the reference or remark. */
  keyword: textFilter,
};
const whose = { user_id: numberFilter, username: textFilter };

/** `total_count` counts up to 100,000 beyond the page; `more` if there are more. */
const page = z.extend(pageOf(ledgerEntry), { more: z.boolean() });

/** A user's balance and its movements in a period; over all time, `added` − `removed` − `spent` is the balance. */
export const ledgerTotals = z.object({
  user_id: id,
  username: z.string(),
  role: z.int(),
  /** The balance. */
  quota,
  /** Part of the balance reserved by calls. */
  held: quota,
  used_quota: credits,
  /** All increases, except by calls. */
  added: quota,
  /** All decreases, except by calls. */
  removed: quota,
  /** Cost of calls. */
  spent: quota,
});
export type LedgerTotals = z.infer<typeof ledgerTotals>;

export const ledgerSchemas = {
  ownList: {
    audience: 'user',
    summary: 'List the movements of your balance, newest first',
    query: z.extend(listQuery(ledgerColumns), own),
    reply: page,
  },
  ownTotals: {
    audience: 'user',
    summary: 'Your balance and its movements in a period',
    query: z.object(period),
    reply: ledgerTotals,
  },
  ownDownload: {
    audience: 'user',
    summary: 'Export your matching entries as CSV',
    query: z.extend(listQuery(ledgerColumns), { ...own, ...ownDownloadOptions }),
    file: csvFile,
  },
  list: {
    audience: 'admin',
    summary: 'List the movements of all balances, newest first',
    query: z.extend(listQuery(ledgerColumns), { ...own, ...whose }),
    reply: page,
  },
  totals: {
    audience: 'admin',
    summary: 'A user’s balance and its movements in a period; the user by id or name',
    query: z.object({ ...period, ...whose }),
    reply: ledgerTotals,
  },
  download: {
    audience: 'admin',
    summary: 'Export matching entries as CSV',
    query: z.extend(listQuery(ledgerColumns), { ...own, ...whose, ...downloadOptions }),
    file: csvFile,
  },
  correct: {
    audience: 'admin',
    summary: 'Add credits to a user of a lower role or remove them; returns the entry',
    params: z.object({ id: idParam }),
    body: correctionInput,
    reply: ledgerEntry,
  },
} as const satisfies SchemasByEndpoint;
