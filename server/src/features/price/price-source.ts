import type { Language, PriceInput, PriceListFormat, PriceUpdateSource, RejectedPrice } from '@relay-hub/contract';
import { priceInput, samePrice } from '@relay-hub/contract';
import { parseJson } from '#json.ts';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { fetchGuarded } from '#http/outbound/outbound.ts';
import { operatorReach } from '#http/outbound/reach.ts';
import { problemText } from '#i18n/language.ts';
import { readPublicList, withListed } from './public-lists/public-list.ts';
import type { ListRemark } from './public-lists/rate-sheet.ts';
import type { InForce } from './change-prices.ts';
import { builtInPrices } from './price-queries.ts';

/** LiteLLM's list has 3.5 MiB. */
const MAX_BYTES = 12 * 1024 * 1024;
const TIMEOUT_MS = 15_000;
const MOST_ROWS = 20_000;

export interface PriceList {
  prices: PriceInput[];
  rejected: Omit<RejectedPrice, 'kept'>[];
}

/** A list of any format, with what was not taken over from a public one. */
export interface ReadList extends PriceList {
  format: PriceListFormat;
  remarks: ListRemark[];
}

interface Reading extends Pick<Deps, 'config' | 'live'> {
  language: Language;
  inForce: InForce;
  now: number;
}

/**
 * A source's list with each row validated by the contract. A public list is read over the prices in force. Throws
 * `outbound.*`, `price.source_format`.
 */
export async function readSource(source: PriceUpdateSource, reading: Reading): Promise<ReadList> {
  if (source.from === 'built_in')
    // The built-in list is complete: a price without multiples has none.
    return {
      format: 'own',
      prices: builtInPrices().map((price) => ({ extra_ratios: {}, rules: [], fees: [], ...price })),
      rejected: [],
      remarks: [],
    };
  if (source.from === 'list') return readJson(source.prices, 'prices', reading);
  const { body } = await fetchGuarded(source.address, {
    reach: operatorReach(reading),
    maxBytes: MAX_BYTES,
    timeoutMs: TIMEOUT_MS,
    accept: 'application/json',
    field: 'address',
  });
  return readJson(parseJson(body.toString('utf8').replace(/^\uFEFF/, '')), 'address', reading);
}

function readJson(json: unknown, field: string, { language, inForce, now }: Reading): ReadList {
  const found = readPublicList(json, now);
  if (!found) return { format: 'own', remarks: [], ...checkRows(rowsOf(json, field), language) };
  const { format, prices, remarks } = found;
  ensure(prices.length <= MOST_ROWS, 'price.source_format', { field });
  const merged = prices.map((price) => withListed(price, inForce.get(price.model)));
  return { format, remarks, ...checkRows(merged, language) };
}

/** A bare array, or `{"data": […]}` as one-hub servers reply. */
function rowsOf(json: unknown, field: string): unknown[] {
  const rows: unknown = typeof json === 'object' && json !== null && 'data' in json ? json.data : json;
  ensure(Array.isArray(rows) && rows.length > 0 && rows.length <= MOST_ROWS, 'price.source_format', { field });
  return rows;
}

/**
 * Splits a list into prices and rejected rows. Duplicates with equal prices are merged; with different prices, all rows
 * of the model are rejected as ambiguous.
 */
export function checkRows(rows: readonly unknown[], language: Language): PriceList {
  const rejected: PriceList['rejected'] = [];
  const byModel = new Map<string, { price: PriceInput; rows: number[]; differ: boolean }>();
  for (const [index, raw] of rows.entries()) {
    const row = index + 1;
    const parsed = priceInput.safeParse(withOurNames(raw), { reportInput: true });
    if (!parsed.success) {
      for (const issue of parsed.error.issues.slice(0, 1))
        rejected.push({ row, model: nameIn(raw), field: issue.path.join('.'), problem: problemText(issue, language) });
      continue;
    }
    if (parsed.data.model.includes('\0')) {
      rejected.push({ row, model: nameIn(raw), field: 'model', problem: ruleText('text.nul', language) });
      continue;
    }
    const known = byModel.get(parsed.data.model);
    known?.rows.push(row);
    if (known && !samePrice(known.price, parsed.data)) known.differ = true;
    if (!known) byModel.set(parsed.data.model, { price: parsed.data, rows: [row], differ: false });
  }
  for (const [model, { rows: repeated, differ }] of byModel) {
    if (!differ) continue;
    byModel.delete(model);
    const problem = ruleText('price.repeated', language);
    rejected.push(...repeated.map((row) => ({ row, model, field: 'model', problem })));
  }
  return {
    prices: [...byModel.values()].map(({ price }) => price),
    rejected: rejected.toSorted((a, b) => a.row - b.row),
  };
}

const ruleText = (rule: string, language: Language): string =>
  problemText({ code: 'custom', path: ['model'], message: rule, input: undefined }, language);

const nameIn = (raw: unknown): string =>
  typeof raw === 'object' && raw !== null && 'model' in raw && typeof raw.model === 'string'
    ? raw.model.trim().slice(0, 100)
    : '';

/** Later one-hub builds drop `_ratio` and, for the cache, `_tokens` from the names of the same multiples. */
const familyNames: Readonly<Record<string, string>> = {
  cached_tokens: 'cached_tokens_ratio',
  cached_read_tokens: 'cached_read_ratio',
  cached_write_tokens: 'cached_write_ratio',
  input_audio_tokens: 'input_audio_tokens_ratio',
  input_image_tokens: 'input_image_tokens_ratio',
  output_audio_tokens: 'output_audio_tokens_ratio',
  output_image_tokens: 'output_image_tokens_ratio',
  reasoning_tokens: 'reasoning_tokens_ratio',
};

/** Absent and null multiples are equal: the model keeps its current ones. */
function withOurNames(raw: unknown): unknown {
  if (typeof raw !== 'object' || raw === null || !('extra_ratios' in raw)) return raw;
  const { extra_ratios: extra, ...row } = raw;
  if (extra === null) return row;
  if (typeof extra !== 'object') return raw;
  const entries = Object.entries<unknown>({ ...extra }).map(([name, ratio]) => [familyNames[name] ?? name, ratio]);
  const ratios: unknown = Object.fromEntries(entries);
  return { ...row, extra_ratios: ratios };
}
