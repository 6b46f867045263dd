import { type BillLine, type BillVendor, billVendors, readBill } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { fetchGuarded } from '#http/outbound/outbound.ts';
import { operatorReach } from '#http/outbound/reach.ts';
import { isObject, objectOr, parseJson } from '#json.ts';
import { masked } from '#secrets.ts';

const TIMEOUT_MS = 60_000;
const MAX_BYTES = 16 * 1024 * 1024;
/** Pages of one bill; a day has at most a thousand rows. */
const MOST_PAGES = 200;
const DAY_MS = 86_400_000;

/** Days of a bill, inclusive, in UTC, which all these providers count in. */
export interface BillDays {
  from: string;
  to: string;
}

interface Account {
  vendor: BillVendor;
  base_url: string;
  key: string;
}

/** The lines of a bill as its provider has them. `rate`: dollars for a unit of their amounts. */
export interface FetchedBill {
  days: BillDays;
  lines: BillLine[];
  rate: number;
}

type Ask = (path: string, query: Record<string, string | readonly string[]>) => Promise<unknown>;

interface BillApi {
  headers: (key: string) => Record<string, string>;
  rate: number;
  /** The days that can be had. */
  days?: (days: BillDays, today: string) => BillDays;
  /** A table with headings, as `readBill` reads it. */
  read: (ask: Ask, days: BillDays) => Promise<string>;
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const addDays = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);

/**
 * Sources: openai 6.49.0 (`organization/costs`), @anthropic-ai/sdk 1.14.0 (`organizations/analytics/cost` and `usage`, of
 * which amounts are cents), @openrouter/sdk 1.3.19 (`activity`, completed days of the last 30).
 */
const apis: Record<BillVendor, BillApi> = {
  openai: {
    headers: bearer,
    rate: 1,
    read: async (ask, { from, to }) => {
      const query = {
        start_time: String(Date.parse(from) / 1000),
        end_time: String(Date.parse(addDays(to, 1)) / 1000),
        bucket_width: '1d',
        'group_by[]': ['line_item'],
        limit: '31',
      };
      const rows: unknown[][] = [['start_time_iso', 'line_item', 'amount_value', 'quantity']];
      for await (const bucket of pages(ask, '/v1/organization/costs', query))
        for (const result of listIn(bucket['results']))
          rows.push([
            bucket['start_time'],
            result['line_item'] ?? '',
            objectOr(result['amount'])['value'],
            result['quantity'] ?? '',
          ]);
      return tableOf(rows);
    },
  },
  anthropic: {
    headers: (key) => ({
      'x-api-key': key,
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'analytics-usage-cost-2026-08-24',
    }),
    rate: 0.01,
    read: async (ask, { from, to }) => {
      const query = {
        starting_at: `${from}T00:00:00Z`,
        ending_at: `${addDays(to, 1)}T00:00:00Z`,
        time_bucket_width: '1d',
        'group_by[]': ['model'],
        limit: '1000',
      };
      const rows: unknown[][] = [plainHeadings];
      const path = '/v1/organizations/analytics';
      for await (const row of pages(ask, `${path}/cost`, query)) {
        const { amount, requests } = objectOr(row['cost']);
        rows.push([row['starting_at'], objectOr(row['group'])['model'] ?? '', amount, requests ?? '', '', '']);
      }
      for await (const row of pages(ask, `${path}/usage`, query)) {
        const usage = objectOr(row['usage']);
        const { output_tokens: output, cache_creation: written } = usage;
        const input = [
          usage['uncached_input_tokens'],
          usage['cache_read_input_tokens'],
          ...Object.values(objectOr(written)),
        ];
        const total = input.reduce<number>((sum, count) => sum + (typeof count === 'number' ? count : 0), 0);
        rows.push([row['starting_at'], objectOr(row['group'])['model'] ?? '', '', '', total, output ?? '']);
      }
      return tableOf(rows);
    },
  },
  openrouter: {
    headers: bearer,
    rate: 1,
    days: ({ from, to }, today) => ({
      from: from < addDays(today, -30) ? addDays(today, -30) : from,
      to: to >= today ? addDays(today, -1) : to,
    }),
    read: async (ask, { from, to }) => {
      const rows: unknown[][] = [plainHeadings];
      for (const row of listIn(objectOr(await ask('/api/v1/activity', {}))['data'])) {
        const date = typeof row['date'] === 'string' ? row['date'].slice(0, 10) : '';
        if (date < from || date > to) continue;
        rows.push([
          date,
          row['model'] ?? '',
          row['usage'],
          row['requests'],
          row['prompt_tokens'],
          row['completion_tokens'],
        ]);
      }
      return tableOf(rows);
    },
  },
};

const plainHeadings = ['date', 'model', 'cost', 'requests', 'input', 'output'];
const plainColumns = {
  date: ['date'],
  model: ['model'],
  cost: ['cost'],
  requests: ['requests'],
  input: ['input'],
  output: ['output'],
};

/** Fetches the bill of some days. Throws `channel.upstream_failed`, `bill.empty` and `outbound.*`. */
export async function fetchBill(
  deps: Pick<Deps, 'config' | 'live' | 'now'>,
  { vendor, base_url: address, key }: Account,
  asked: BillDays,
): Promise<FetchedBill> {
  const { headers, rate, days: within, read } = apis[vendor];
  const base = (address || billVendors[vendor]).replace(/\/+$/, '');
  const ask: Ask = async (path, query) => {
    const search = new URLSearchParams(
      Object.entries(query).flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, one])),
    );
    const { status, body } = await fetchGuarded(`${base}${path}${search.size > 0 ? `?${search.toString()}` : ''}`, {
      reach: operatorReach(deps),
      maxBytes: MAX_BYTES,
      timeoutMs: TIMEOUT_MS,
      accept: 'application/json',
      field: 'base_url',
      request: { method: 'GET', headers: headers(key) },
    });
    const json = parseJson(body.toString('utf8'));
    if (status !== 200 || !isObject(json)) {
      const said = textOf(objectOr(objectOr(json)['error'])['message']);
      throw new AppError('channel.upstream_failed', { reason: masked(`HTTP ${status} ${said}`.trim(), key) });
    }
    return json;
  };
  const today = new Date(deps.now() * 1000).toISOString().slice(0, 10);
  const days = within?.(asked, today) ?? asked;
  ensure(days.from <= days.to, 'bill.empty', { month: asked.from.slice(0, 7) });
  const table = await read(ask, days);
  const lines = readBill(table, vendor === 'openai' ? undefined : plainColumns)?.lines ?? [];
  return { days, lines: lines.filter(({ date }) => date >= days.from && date <= days.to), rate };
}

/** Entries of all pages of a list with `data`, `has_more` and `next_page`. */
async function* pages(ask: Ask, path: string, query: Record<string, string | readonly string[]>) {
  let page: unknown;
  for (let at = 0; at < MOST_PAGES; at++) {
    const reply = objectOr(await ask(path, { ...query, ...(typeof page === 'string' && { page }) }));
    if (!Array.isArray(reply['data']))
      throw new AppError('channel.upstream_failed', { reason: 'the bill has another shape than expected' });
    yield* listIn(reply['data']);
    if (reply['has_more'] !== true) return;
    page = reply['next_page'];
  }
  throw new AppError('channel.upstream_failed', { reason: 'the bill has too many pages' });
}

const listIn = (list: unknown): Record<string, unknown>[] => (Array.isArray(list) ? list.filter(isObject) : []);

/** A CSV text; commas are in names of line items. */
const tableOf = (rows: readonly unknown[][]): string =>
  rows.map((row) => row.map((cell) => `"${textOf(cell).replaceAll('"', '""')}"`).join(',')).join('\n');

const textOf = (cell: unknown): string => (typeof cell === 'string' || typeof cell === 'number' ? String(cell) : '');
