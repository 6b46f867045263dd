import { oauthApi } from '@relay-hub/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { useEffect } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { selfQuery } from '#api/self.ts';
import { Button } from '#ui/basic/button.tsx';
import { CopyButton } from '#ui/basic/copy-button.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Spinner } from '#ui/feedback/spinner.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { useLatest } from '#ui/basic/use-latest.ts';
import { useNow } from '#ui/format/use-now.ts';
import { identitiesQuery } from './profile-api.ts';

const lookMs = 2000;

const codeQuery = {
  queryKey: [oauthApi.telegramCode.path],
  queryFn: () => call(oauthApi.telegramCode),
  staleTime: Infinity,
  gcTime: 0,
  refetchOnWindowFocus: false,
  meta: { quiet: true },
};

/** A code to send to the bot; closes itself once the account is connected. */
export function TelegramDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('elsewhere');
  const { data, error, isFetching, refetch } = useQuery(codeQuery);
  const now = useNow(1);
  useBound(onClose);
  if (error && !data)
    return (
      <Dialog title={t('telegramTitle')} width={400} onClose={onClose}>
        <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
      </Dialog>
    );
  const left = data ? data.expires_time - now : undefined;
  const over = left !== undefined && left <= 0;
  const message = `/bind ${data?.code ?? ''}`;
  return (
    <Dialog title={t('telegramTitle')} text={t('telegramSteps')} width={400} onClose={onClose}>
      <div className="flex flex-col gap-4">
        <div
          role="group"
          aria-label={t('telegramMessage')}
          className="flex min-h-11 items-center gap-2 rounded-control border border-line2 bg-sunk px-3 font-mono"
        >
          <span className={over ? 'flex-1 text-text3 line-through' : 'flex-1'}>
            {data ? message : <Skeleton width={160} />}
          </span>
          {data && !over && <CopyButton text={message} name={t('telegramMessage')} />}
        </div>
        <div className="flex min-h-8 items-center gap-2 text-13 text-text2">
          {over ? (
            <>
              {t('telegramOver')}
              <Button size="sm" busy={isFetching} onClick={() => void refetch()}>
                {t('telegramAgain')}
              </Button>
            </>
          ) : (
            <>
              <Spinner size={14} />
              <span>{t('telegramWaiting')}</span>
              {left !== undefined && <span className="ml-auto">{t('telegramLeft', { time: clock(left) })}</span>}
            </>
          )}
        </div>
        {data && !over && (
          <Button
            variant="primary"
            size="lg"
            icon={Send}
            className="w-full"
            render={
              <a href={`https://t.me/${data.bot}?start=${data.code}`} target="_blank" rel="noopener noreferrer" />
            }
          >
            {t('telegramOpen', { bot: data.bot })}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

const clock = (seconds: number): string => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;

function useBound(onBound: () => void): void {
  const { t } = useTranslation('elsewhere');
  const client = useQueryClient();
  const { data } = useQuery({ ...identitiesQuery, refetchInterval: lookMs });
  const bound = data?.some(({ provider }) => provider === 'telegram') ?? false;
  const notify = useLatest(() => {
    toast.success(t('bound', { provider: t('telegram') }));
    void client.invalidateQueries({ queryKey: selfQuery.queryKey });
    onBound();
  });
  useEffect(() => {
    if (bound) notify.current();
  }, [bound, notify]);
}
