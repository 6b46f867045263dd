import { WifiOff } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { connection } from '#api/connection.ts';
import { useStore } from '#api/store.ts';
import { Button } from '#ui/basic/button.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { formatTimeOfDay } from '#ui/format/time.ts';
import { useReconnect } from './use-reconnect.ts';

/** Says that the server is unreachable; the loaded data stays readable. */
export function OfflineBanner() {
  const { online, answeredAt } = useStore(connection);
  return online ? null : <Banner answeredAt={answeredAt} />;
}

function Banner({ answeredAt }: { answeredAt: number | undefined }) {
  const { t } = useTranslation();
  const { attempt, seconds, trying, retry } = useReconnect();
  const known =
    answeredAt === undefined ? t('offline.none') : t('offline.stale', { time: formatTimeOfDay(answeredAt / 1000) });
  return (
    <div className="flex min-h-11 flex-none flex-wrap items-center gap-x-2.5 gap-y-1 border-b border-line bg-bad-soft px-6 py-1.5 text-13 text-bad tabular-nums max-sm:px-4">
      <div role="alert" className="flex flex-wrap items-center gap-x-2.5">
        <Icon of={WifiOff} />
        <span className="font-title">{t('offline.title')}</span>
        <span>{known}</span>
      </div>
      <div className="ml-auto flex items-center gap-2.5">
        <span>{trying ? t('offline.trying') : t('offline.waiting', { seconds, attempt })}</span>
        <Button size="sm" busy={trying} onClick={retry}>
          {t('offline.retry')}
        </Button>
      </div>
    </div>
  );
}
