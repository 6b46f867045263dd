import type { Language, Log, LogMetadata, PriceRule } from '@relay-hub/contract';
import { addCredits, costOfRow, explainRow, inputTokens, logType, tokensFromCache, usageOf } from '@relay-hub/contract';
import type { CsvColumn } from '#http/csv.ts';
import { timeWriter } from '#http/csv.ts';
import type { LogHeading } from '#i18n/csv-texts.ts';
import { serverTexts } from '#i18n/texts.ts';

const CREDITS_PER_USD = 500_000;

const headings: readonly LogHeading[] = [
  'time',
  'type',
  'user',
  'channel',
  'token',
  'group',
  'model',
  'credits',
  'usd',
  'input',
  'cached',
  'output',
  'duration',
  'firstByte',
  'speed',
  'stream',
  'outcome',
  'status',
  'code',
  'reason',
  'calls',
  'firstTime',
  'usageMark',
  'attempts',
  'inputRatio',
  'outputRatio',
  'groupRatio',
  'priceVersion',
  'ip',
  'requestId',
  'detail',
  // After the others, whose places scripts may know.
  'tokenId',
  'tier',
  'region',
  'rules',
  'fees',
  'feeCredits',
  'unpriced',
  'otherModels',
  'cost',
  'margin',
];

/** The columns of an export; user, channel and costs for administrators only. */
export function logCsv(language: Language, timeZone: string, reader: 'owner' | 'administrator'): CsvColumn<Log>[] {
  const text = serverTexts(language).csv.log;
  const time = timeWriter(timeZone);
  const cells: Record<LogHeading, CsvColumn<Log>['cell']> = {
    time: (row) => time(row.created_at),
    type: (row) => text.types[row.type] ?? row.type,
    user: (row) => row.username,
    channel: (row) => row.channel?.name ?? (row.channel_id === 0 ? '' : `#${row.channel_id}`),
    token: (row) => row.token_name,
    group: (row) => row.metadata?.group_name ?? '',
    model: (row) => row.model_name,
    credits: (row) => row.quota,
    usd: (row) => row.quota / CREDITS_PER_USD,
    input: ofCall((row) => row.prompt_tokens),
    cached: ofCall((row) => tokensFromCache(usageOf(row))),
    output: ofCall((row) => row.completion_tokens),
    duration: ofCall((row) => row.request_time),
    firstByte: ofCall((row) => row.metadata?.first_response ?? null),
    speed: ofCall(speedOf),
    stream: ofCall((row) => row.is_stream),
    outcome: ofCall(({ metadata }) => (metadata?.outcome ? text.outcomes[metadata.outcome] : '')),
    status: ({ metadata }) => metadata?.status ?? null,
    code: ({ metadata }) => metadata?.error ?? '',
    reason: reasonOf,
    // A row of refused calls stands for several calls.
    calls: ({ type, metadata }) => (type === logType.consume ? 1 : (metadata?.refusal?.count ?? null)),
    firstTime: ({ metadata }) => (metadata?.refusal ? time(metadata.refusal.first_time) : ''),
    usageMark: ofCall(({ metadata }) => (metadata?.usage_mark ? text.marks[metadata.usage_mark] : '')),
    attempts: ofCall((row) => row.metadata?.attempts?.length ?? null),
    inputRatio: ofCall((row) => row.metadata?.input_ratio ?? null),
    outputRatio: ofCall((row) => row.metadata?.output_ratio ?? null),
    groupRatio: ofCall((row) => row.metadata?.group_ratio ?? null),
    priceVersion: ofCall((row) => row.metadata?.price_version ?? null),
    ip: (row) => row.source_ip,
    requestId: (row) => row.request_id,
    detail: detailOf,
    tokenId: (row) => (row.token_id === 0 ? null : row.token_id),
    tier: ofCall(({ metadata }) => metadata?.served?.modes?.join(' ') ?? ''),
    region: ofCall(({ metadata }) => metadata?.served?.region ?? ''),
    rules: ofCall(({ metadata }) => (metadata?.rules ?? []).map(ruleCell).join('; ')),
    fees: ofCall(({ metadata }) => (metadata?.fees ?? []).map(({ event, count }) => `${event} ${count}`).join('; ')),
    feeCredits: ofCall(feeCreditsOf),
    unpriced: ofCall(({ metadata }) => metadata?.unpriced?.join(' ') ?? ''),
    cost: ofCall((row) => costOfRow(row) ?? null),
    margin: ofCall((row) => {
      const cost = costOfRow(row);
      return cost === undefined ? null : addCredits(String(row.quota), cost, -1n);
    }),
    otherModels: ofCall(({ metadata }) => (metadata?.models ?? []).map(otherModelCell).join('; ')),
  };
  return headings
    .filter((heading) => reader === 'administrator' || !operators.has(heading))
    .map((heading) => ({
      heading: heading === 'time' ? `${text.headings.time} (${timeZone || 'UTC'})` : text.headings[heading],
      cell: cells[heading],
    }));
}

/** Columns for administrators alone. */
const operators: ReadonlySet<LogHeading> = new Set(['user', 'channel', 'cost', 'margin']);

const ofCall =
  (cell: CsvColumn<Log>['cell']): CsvColumn<Log>['cell'] =>
  (row) =>
    row.type === logType.consume ? cell(row) : null;

/** A rule in the words of its fields, the same in every language: `modes priority, over 272000: x2 x1.5`. */
function ruleCell({ effect, input, output, kinds = {}, ...conditions }: PriceRule): string {
  const when = Object.entries(conditions).map(([name, value]) => `${name} ${[value].flat().join('|')}`);
  const sign = effect === 'multiply' ? 'x' : '=';
  const own = Object.entries(kinds).map(([name, ratio]) => `${name} ${ratio}`);
  return `${when.join(', ')}: ${[`${sign}${input}`, `${sign}${output}`, ...own].join(' ')}`;
}

/** Input and output of another model: `claude-opus-5-5 1200+300`. */
const otherModelCell = (used: NonNullable<LogMetadata['models']>[number]): string =>
  `${used.model} ${inputTokens(usageOf({ ...used, metadata: used }))}+${used.completion_tokens}`;

/** Credits of the fees, which are part of the charge before it is rounded. */
function feeCreditsOf(row: Log): number | null {
  const fees = row.metadata?.fees ?? [];
  if (fees.length === 0) return null;
  const parts = explainRow(row)?.parts.filter(({ kind }) => fees.some(({ event }) => event === kind)) ?? [];
  return Number(parts.reduce((sum, { credits }) => sum + Number(credits), 0).toFixed(6));
}

/** The code of the refusal or of the last attempt's failure. */
function reasonOf({ metadata }: Log): string {
  const last = metadata?.attempts?.at(-1)?.result ?? 'ok';
  return metadata?.refusal?.reason ?? (last === 'ok' ? (metadata?.error ?? '') : last);
}

/** The log text, or the upstream's message of the last failed attempt. */
function detailOf({ content, metadata }: Log): string {
  const last = metadata?.attempts?.at(-1);
  return content || (last && last.result !== 'ok' ? (last.message ?? '') : '');
}

/** Output tokens per second after the first byte, as in the console; only streams record when that was. */
function speedOf({ is_stream: stream, completion_tokens: tokens, request_time: ms, metadata }: Log): number | null {
  const writing = ms - (metadata?.first_response ?? ms);
  return stream && tokens > 0 && writing >= 20 ? Math.round((tokens * 10_000) / writing) / 10 : null;
}
