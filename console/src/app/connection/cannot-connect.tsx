import { CircleCheck, RefreshCw, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { connection } from '#api/connection.ts';
import { useStore } from '#api/store.ts';
import { Button } from '#ui/basic/button.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { formatDateTime } from '#ui/format/time.ts';
import { useReconnect } from './use-reconnect.ts';

/** Replaces a page that has no data because the server does not respond. */
export function CannotConnect() {
  const { t } = useTranslation();
  const { answeredAt } = useStore(connection);
  const { seconds, trying, retry } = useReconnect();
  return (
    <div className="m-auto flex w-full flex-col items-center py-16 text-center">
      <Cut />
      <h1 className="mt-12 text-24">{t('offline.title')}</h1>
      <p className="mt-1 text-15 text-text2">{t('offline.cause', { host: location.host })}</p>
      <dl className="mt-5 w-90 max-w-full rounded-card border border-line bg-card px-4 text-13">
        <Fact name={t('offline.network')}>
          {navigator.onLine ? <Good text={t('offline.networkOk')} /> : <Bad text={t('offline.networkOff')} />}
        </Fact>
        <Fact name={t('offline.server')}>
          <Bad text={t('offline.serverSilent')} />
        </Fact>
        <Fact name={t('offline.last')}>
          <span className="text-text2 tabular-nums">
            {answeredAt === undefined ? t('offline.never') : formatDateTime(answeredAt / 1000)}
          </span>
        </Fact>
      </dl>
      <div className="mt-5 flex items-center gap-3">
        <Button variant="primary" size="lg" icon={RefreshCw} saves={false} busy={trying} onClick={retry}>
          {t('offline.retry')}
        </Button>
        <span className="text-13 text-text2 tabular-nums">
          {trying ? t('offline.trying') : t('offline.auto', { seconds })}
        </span>
      </div>
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex h-10 items-center justify-between border-line not-last:border-b">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const Good = ({ text }: { text: string }) => (
  <span className="flex items-center gap-1.5 text-ok">
    <Icon of={CircleCheck} />
    {text}
  </span>
);

const Bad = ({ text }: { text: string }) => (
  <span className="flex items-center gap-1.5 text-bad">
    <Icon of={TriangleAlert} />
    {text}
  </span>
);

/** Picture: a cut line to the server. */
function Cut() {
  return (
    <svg width="254" height="48" viewBox="0 0 254 48" fill="none" aria-hidden strokeWidth="2" className="max-w-full">
      <circle cx="23" cy="24" r="22" className="fill-card stroke-control" />
      <circle cx="23" cy="24" r="6" className="fill-accent" />
      <path d="M45 24h50" className="stroke-control" />
      <path d="M102 14l8 20M122 14l8 20" className="stroke-bad-g" strokeWidth="2.4" strokeLinecap="round" />
      <path d="M140 24h70" className="stroke-line2" strokeDasharray="6 5" />
      <circle cx="232" cy="24" r="21" className="fill-card stroke-line2" strokeDasharray="6 5" />
    </svg>
  );
}
