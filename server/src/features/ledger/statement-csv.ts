import type { Language, Statement } from '@relay-hub/contract';
import type { CsvColumn } from '#http/csv.ts';
import { serverTexts } from '#i18n/texts.ts';

const CREDITS_PER_USD = 500_000;

interface Line {
  item: string;
  token?: string;
  model?: string;
  count: number | null;
  tokens?: [input: number, output: number];
  credits: number;
  member?: string;
  costCentre?: string;
}

/** The columns of a statement. */
export function statementCsv(language: Language): CsvColumn<Line>[] {
  const { statement: text, log, analytics } = serverTexts(language).csv;
  const { headings } = log;
  return [
    { heading: text.item, cell: ({ item }) => item },
    { heading: headings.token, cell: ({ token = '' }) => token },
    { heading: headings.model, cell: ({ model = '' }) => model },
    { heading: text.count, cell: ({ count }) => count },
    { heading: headings.input, cell: ({ tokens }) => tokens?.[0] ?? null },
    { heading: headings.output, cell: ({ tokens }) => tokens?.[1] ?? null },
    { heading: headings.credits, cell: ({ credits }) => credits },
    { heading: headings.usd, cell: ({ credits }) => credits / CREDITS_PER_USD },
    { heading: analytics.by.member, cell: ({ member = '' }) => member },
    { heading: analytics.by.tag, cell: ({ costCentre = '' }) => costCentre },
  ];
}

/**
 * The lines of a statement: those between the opening and the closing balance add up to their difference. Sums by member
 * and cost centre follow.
 */
export function statementLines(statement: Statement, language: Language): Line[] {
  const { statement: text, ledger } = serverTexts(language).csv;
  const { opening, closing, entries, usage, unlisted } = statement;
  return [
    { item: text.opening, count: null, credits: opening },
    ...entries.map(({ kind, credits, count }) => ({ item: ledger.kinds[kind], count, credits })),
    ...usage.map((row) => ({
      item: ledger.kinds.settle,
      token: row.token_name || (row.token_id === 0 ? '' : `#${row.token_id}`),
      model: row.model,
      member: row.member,
      costCentre: row.cost_centre,
      count: row.requests,
      tokens: [row.prompt_tokens, row.completion_tokens] as [number, number],
      credits: 0 - row.quota,
    })),
    ...(unlisted === 0 ? [] : [{ item: ledger.kinds.settle, count: null, credits: -unlisted }]),
    { item: text.closing, count: null, credits: closing },
    ...statement.members.map(({ username, requests, quota }) => ({
      item: text.byMember,
      member: username,
      count: requests,
      credits: 0 - quota,
    })),
    ...statement.cost_centres.map(({ name, requests, quota }) => ({
      item: text.byCostCentre,
      costCentre: name,
      count: requests,
      credits: 0 - quota,
    })),
  ];
}
