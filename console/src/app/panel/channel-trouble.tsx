import { channelApi } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { apiQuery } from '#api/api-query.ts';
import { Badge } from '#shared/badge.tsx';

/** A failure to count is told by the page that shows the channels. */
const inTrouble = {
  ...apiQuery(channelApi.list, { query: { trouble: 1, size: 1 } }),
  staleTime: 30_000,
  refetchInterval: 60_000,
  meta: { quiet: true },
};

/** At the end of the menu's row: how many channels need a look. Nothing where all are well. */
export function ChannelTrouble() {
  const { t } = useTranslation();
  const count = useQuery(inTrouble).data?.total_count ?? 0;
  if (count === 0) return null;
  return (
    <span role="img" aria-label={t('nav.trouble', { count })} className="ml-auto flex-none">
      <Badge tone="bad">{count}</Badge>
    </span>
  );
}
