import type { Log } from '@relay-hub/contract';
import { formatFixed } from '#ui/format/number.ts';
import { Status } from '#ui/feedback/status.tsx';
import { formatDate } from '#ui/format/time.ts';
import { Time } from '#ui/format/time.tsx';
import { useNow } from '#ui/format/use-now.ts';

/** Outcome of a call; a failed one with the HTTP status that its caller got. */
export function CallResult({ row: { metadata } }: { row: Log }) {
  const kind = metadata?.outcome ?? 'answered';
  return <Status kind={kind} {...(kind === 'failed' && metadata?.status && { note: metadata.status })} />;
}

/** The time of a call made today, the date of an older one; the tooltip has both. */
export function CallTime({ row: { created_at: at } }: { row: Log }) {
  const today = formatDate(useNow(60));
  return <Time at={at} as={formatDate(at) === today ? 'time' : 'date'} className="text-text2" />;
}

/** Duration of a call, from first byte to last. */
export const durationOf = ({ request_time: ms }: Log): string =>
  ms < 10 ? '<0.01 s' : `${formatFixed(ms / 1000, ms < 10_000 ? 2 : 1)} s`;
