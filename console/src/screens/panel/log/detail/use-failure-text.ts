import type { Attempt, Log } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { attemptsOf } from '#screens/panel/log/log-row.ts';

const statuses = [400, 401, 402, 403, 404, 408, 413, 429, 500, 502, 503, 504] as const;
const results = [
  'connect_failed',
  'timeout',
  'stream_broken',
  'reply_too_large',
  'out_of_files',
  'no_room',
  'error_in_stream',
  'error_in_reply',
  'bad_reply',
  'content_filter',
] as const;

/** Why a call or an attempt failed, in a few words: "429 rate limited", "Timed out". */
export function useFailureText() {
  const { t } = useTranslation('log');
  const statusText = (status: number): string => {
    const known = statuses.find((each) => each === status);
    return t(known ? `status_${known}` : status >= 500 ? 'status_500' : 'status_other');
  };
  /** Without the status. */
  const reason = ({ result, status }: Attempt): string => {
    const known = results.find((each) => each === result);
    if (known) return t(`result_${known}`);
    return status >= 300 ? statusText(status) : result;
  };
  const attempt = (each: Attempt): string => (each.status >= 300 ? `${each.status} ${reason(each)}` : reason(each));
  const row = (log: Log): string => {
    const last = attemptsOf(log).at(-1);
    if (last && last.result !== 'ok') return attempt(last);
    const status = log.metadata?.status;
    return status ? `${status} ${statusText(status)}` : '';
  };
  return { attempt, reason, row };
}

/** The upstream's message without a leading status, which is shown separately. */
export function messageOf({ message = '', status }: Attempt): string {
  return message.startsWith(`${status} `) ? message.slice(String(status).length + 1) : message;
}
