import { botApi } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { RefreshCw } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card } from '#ui/basic/card.tsx';
import { Chip } from '#ui/basic/chip.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { botStatusQuery } from './bot-api.ts';

/** Whether the bot is online, how it receives messages, and the button that sends its menu to Telegram. */
export function BotState() {
  const { t } = useTranslation('telegram');
  const client = useQueryClient();
  const { data, error } = useQuery(botStatusQuery);
  const reload = useMutation({
    mutationFn: () => call(botApi.reload),
    onSuccess: () => toast.success(t('reloaded')),
    onSettled: () => refresh(client, botApi.status),
  });
  if (!data) return error ? <Note tone="bad">{error.message}</Note> : <Skeleton className="mb-4 h-14" />;
  const { status, enabled, is_webhook, name, problem, waiting, outdated } = data;
  return (
    <div className="mb-4 grid gap-3">
      <Card>
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 text-13">
          <Status kind={status ? 'online' : 'offline'} />
          {enabled && <Chip>{t(is_webhook ? 'webhook' : 'polling')}</Chip>}
          {name !== '' && (
            <a
              href={`https://t.me/${name}`}
              target="_blank"
              rel="noreferrer"
              className="touch font-mono text-accent underline underline-offset-2"
            >
              @{name}
            </a>
          )}
          {waiting > 0 && <span className="text-text2">{t('waiting', { count: waiting })}</span>}
          {enabled ? (
            <Button
              icon={RefreshCw}
              busy={reload.isPending}
              onClick={() => reload.mutate()}
              className="ml-auto max-sm:w-full"
            >
              {t('reload')}
            </Button>
          ) : (
            <span className="text-text2">
              {t('off')}{' '}
              <Link to="/panel/setting" search={{ q: 'telegram' }} className="text-accent underline underline-offset-2">
                {t('openSettings')}
              </Link>
            </span>
          )}
        </div>
      </Card>
      {problem !== '' && (
        <Note tone="bad">
          {t('problem')} {problem}
        </Note>
      )}
      {outdated && problem === '' && (
        <Note tone="warn" live>
          {t('outdated')}
        </Note>
      )}
    </div>
  );
}
