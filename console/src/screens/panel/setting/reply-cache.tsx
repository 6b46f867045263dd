import { replyCacheApi } from '@relay-hub/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { apiQuery, refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
import { moneyInFull } from '#ui/format/money.ts';
import { formatPercent, formatPlain, formatWhole } from '#ui/format/number.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { Confirm } from '#ui/overlay/confirm.tsx';

/** Size and use of the reply cache, and its clearing. */
export function ReplyCache() {
  const { t } = useTranslation('settingTool');
  const client = useQueryClient();
  const site = useSiteFormat();
  const [asking, setAsking] = useState(false);
  const { data } = useQuery(apiQuery(replyCacheApi.state));
  const calls = (data?.hits ?? 0) + (data?.misses ?? 0);
  const clear = async () => {
    await call(replyCacheApi.clear, { query: {} });
    await refresh(client, replyCacheApi.state);
  };
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-2 border-t border-line px-5 py-3 max-sm:px-4">
      <div className="min-w-0 flex-1 basis-60 tabular-nums">
        <h3 className="font-normal">
          {t('repliesKept', {
            replies: formatWhole(data?.replies ?? 0),
            size: `${formatPlain((data?.bytes ?? 0) / 2 ** 20, 1)} MiB`,
          })}
        </h3>
        <p className="text-13/4.5 text-text2">
          {data && calls > 0
            ? t('repliesUsed', {
                share: formatPercent(data.hits / calls, 1),
                hits: formatWhole(data.hits),
                calls: formatWhole(calls),
                saved: moneyInFull(data.saved, site).dollars,
              })
            : t('repliesUnused')}
        </p>
      </div>
      <Button disabled={!data || data.replies === 0} onClick={() => setAsking(true)}>
        {t('repliesClear')}
      </Button>
      {asking && (
        <Confirm
          title={t('repliesAsk')}
          text={t('repliesAskText')}
          action={t('repliesDo')}
          onConfirm={clear}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  );
}
