import { tokenApi, userApi, type Log, type Token } from '@relay-hub/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { refresh } from '#api/api-query.ts';
import { Money } from '#shared/money.tsx';
import { Spinner } from '#shared/spinner.tsx';
import { Status } from '#shared/status.tsx';
import { Time } from '#shared/time.tsx';
import { lastCall } from './token-api.ts';

/** Waits for a call with the token and says when it has come, what it cost and where it is in the log. */
export function CallWatch({ token }: { token: Token }) {
  const { t } = useTranslation('token');
  const client = useQueryClient();
  const { data: newest, isSuccess } = useQuery(lastCall(token));
  // The newest call there was when the watch began; 0 for none.
  const [before, setBefore] = useState(token.accessed_time === 0 ? 0 : undefined);
  if (before === undefined && isSuccess) setBefore(newest?.id ?? 0);
  const arrived = newest && before !== undefined && newest.id > before ? newest : undefined;
  const arrivedId = arrived?.id;
  useEffect(() => {
    if (arrivedId !== undefined) void refresh(client, tokenApi.list, userApi.self);
  }, [arrivedId, client]);
  return (
    <div
      role="status"
      className="mr-auto flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-0.5 text-13 text-text2"
    >
      {arrived ? (
        <Arrived call={arrived} first={before === 0} />
      ) : (
        <>
          <Spinner size={16} />
          {t(before === 0 ? 'waitingFirst' : 'waiting')}
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
  const words = failed
    ? t('callFailed', { status: call.metadata?.status ?? '' })
    : t(first ? 'firstArrived' : 'arrived');
  return (
    <>
      <Status kind={failed ? 'failed' : 'answered'} text={words} />
      <span className="min-w-0 truncate">{call.model_name}</span>
      <Money credits={call.quota} exact />
      <Link to="/panel/log" search={{ id: call.id }} className="text-accent hover:underline">
        {t('showInLog')}
      </Link>
    </>
  );
}
