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
      {data && calls > 0 && (
        <div className="grid w-full grid-cols-2 gap-x-8 gap-y-3 max-sm:grid-cols-1">
          <HitShares title={t('repliesByModel')} rows={data.models.map((one) => ({ ...one, name: one.model }))} />
          <HitShares
            title={t('repliesByToken')}
            rows={data.tokens.map((one) => ({ ...one, name: `${one.token_name} · ${one.username}` }))}
          />
        </div>
      )}
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

const SHOWN = 5;

/** Part of the calls that the cache answered, for those with most calls. */
function HitShares({ title, rows }: { title: string; rows: { name: string; hits: number; misses: number }[] }) {
  const { t } = useTranslation('settingTool');
  if (rows.length === 0) return null;
  return (
    <div className="min-w-0">
      <h4 className="text-13 font-normal text-text2">{title}</h4>
      <ul className="mt-1 text-13 tabular-nums">
        {rows.slice(0, SHOWN).map(({ name, hits, misses }) => (
          <li key={name} className="flex justify-between gap-3 py-0.5">
            <span className="min-w-0 truncate">{name}</span>
            <span className="flex-none text-text2">
              {t('repliesShare', {
                share: formatPercent(hits / (hits + misses), 1),
                hits: formatWhole(hits),
                calls: formatWhole(hits + misses),
              })}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
