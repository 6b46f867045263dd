import type { LimitMeasure, LimitPeriod } from '@relay-hub/contract';
import type { NamedLimit } from '#live/channel-limits.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** A limit by the names of its headers. */
interface HeaderNames {
  measure: Extract<LimitMeasure, 'requests' | 'tokens'>;
  period: Extract<LimitPeriod, 'minute' | 'hour' | 'day'>;
  limit: string;
  left: string;
  reset: string;
}

/** Measures by their names in headers. */
const measures = { requests: 'requests', req: 'requests', tokens: 'tokens' } as const;
const periods = ['minute', 'hour', 'day'] as const;

const xNames = (word: keyof typeof measures, period: HeaderNames['period'], suffix: string): HeaderNames => ({
  measure: measures[word],
  period,
  limit: `x-ratelimit-limit-${word}${suffix}`,
  left: `x-ratelimit-remaining-${word}${suffix}`,
  reset: `x-ratelimit-reset-${word}${suffix}`,
});

/** Cerebras, Mistral (`req`), SambaNova and Nous name the period. */
const withPeriod = (['requests', 'req', 'tokens'] as const).flatMap((word) =>
  periods.map((period) => xNames(word, period, `-${period}`)),
);

const anthropic = (['requests', 'tokens'] as const).map((measure): HeaderNames => ({
  measure,
  period: 'minute',
  limit: `anthropic-ratelimit-${measure}-limit`,
  left: `anthropic-ratelimit-${measure}-remaining`,
  reset: `anthropic-ratelimit-${measure}-reset`,
}));

const usual = [
  // OpenAI, Azure, xAI, Fireworks and others.
  xNames('requests', 'minute', ''),
  xNames('tokens', 'minute', ''),
  ...withPeriod,
  ...anthropic,
];

/** Groq counts requests by day: https://console.groq.com/docs/rate-limits */
const groq = [xNames('requests', 'day', ''), xNames('tokens', 'minute', '')];

const MOST = 1e12;

/**
 * The limits that the headers of a reply name, with their remaining amounts. `provider`: id of the adapter. Unclear values
 * are left out.
 */
export function limitsInHeaders(headers: Headers, provider: string, nowMs: number): NamedLimit[] {
  const found: NamedLimit[] = [];
  for (const { measure, period, limit, left, reset } of provider === 'groq' ? groq : usual) {
    const amount = countIn(headers[limit]);
    if (amount === undefined || amount === 0) continue;
    const resetMs = waitIn(headers[reset], nowMs);
    found.push({ cap: { measure, period, amount }, left: countIn(headers[left]), resetMs });
  }
  return found;
}

function countIn(header: Headers[string]): number | undefined {
  if (typeof header !== 'string' || !/^\d{1,15}$/.test(header.trim())) return undefined;
  const count = Number(header);
  return count <= MOST ? count : undefined;
}

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
/** Numbers from here on are moments in Unix seconds, and no waits. */
const EPOCH_S = 1_000_000_000;

/** Milliseconds of `6m0s`, `120ms`, `1.5` (seconds), Unix seconds or a date; undefined: none. */
function waitIn(header: Headers[string], nowMs: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const text = header.trim();
  if (/^\d{1,13}(?:\.\d+)?$/.test(text)) {
    const seconds = Number(text);
    return Math.max(0, seconds >= EPOCH_S ? seconds * 1000 - nowMs : seconds * 1000);
  }
  if (/^(?:\d{1,9}(?:\.\d+)?(?:ms|[smhd]))+$/.test(text)) {
    const parts = text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g);
    return [...parts].reduce((sum, [, amount, unit]) => sum + Number(amount) * units[unit as keyof typeof units], 0);
  }
  const at = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
