import { logType, tokenApi, userApi, type Log, type Token } from '@relay-hub/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { refresh } from '#api/api-query.ts';
import { Money } from '#ui/format/money.tsx';
import { Spinner } from '#ui/feedback/spinner.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { Time } from '#ui/format/time.tsx';
import { lastCall } from '#screens/panel/token/token-api.ts';

const RefusedWatch = lazy(async () => ({ default: (await import('./refused-watch.tsx')).RefusedWatch }));

/** Identifies a call; a row of refused calls changes with each further one. */
const markOf = (row: Log | undefined): string => (row ? `${row.id} ${row.request_id}` : '');

/**
 * Waits for a call with the token, then shows its cost and a link to its log row, or the reason and advice if it was
 * refused.
 */
export function CallWatch({ token }: { token: Token }) {
  const { t } = useTranslation('token');
  const client = useQueryClient();
  const { data: newest, isSuccess } = useQuery(lastCall(token));
  // The newest call when the wait began; empty for none.
  const isUnused = token.accessed_time === 0 && token.rotated_time === 0;
  const [before, setBefore] = useState(isUnused ? '' : undefined);
  if (before === undefined && isSuccess) setBefore(markOf(newest));
  const arrived = newest && before !== undefined && markOf(newest) !== before ? newest : undefined;
  // An earlier refusal, perhaps of an older key, is no verdict on the call that is waited for.
  const refused = arrived?.type === logType.refused ? arrived : undefined;
  const arrivedMark = markOf(arrived);
  useEffect(() => {
    if (arrivedMark !== '') void refresh(client, tokenApi.list, userApi.self);
  }, [arrivedMark, client]);
  return (
    <div
      role="status"
      className="mr-auto flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-0.5 text-13 text-text2"
    >
      {refused ? (
        <Suspense fallback={<Spinner size={16} />}>
          <RefusedWatch row={refused} />
        </Suspense>
      ) : arrived ? (
        <Arrived call={arrived} first={before === ''} />
      ) : (
        <>
          <Spinner size={16} />
          {t(before === '' ? 'waitingFirst' : 'waiting')}
          {newest && (
            <span className="text-text3">
              {t('lastCall')} <Time at={newest.created_at} as="relative" />
            </span>
          )}
        </>
      )}
    </div>
  );
}

function Arrived({ call, first }: { call: Log; first: boolean }) {
  const { t } = useTranslation('token');
  const failed = call.metadata?.outcome === 'failed';
  const text = failed
    ? t('callFailed', { status: call.metadata?.status ?? '' })
    : t(first ? 'firstArrived' : 'arrived');
  return (
    <>
      <Status kind={failed ? 'failed' : 'answered'} text={text} />
      <span className="min-w-0 truncate">{call.model_name}</span>
      <Money credits={call.quota} exact />
      <Link to="/panel/log" search={{ id: call.id }} className="text-accent hover:underline">
        {t('showInLog')}
      </Link>
    </>
  );
}
