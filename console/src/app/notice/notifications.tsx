import { logType, type Notification, notificationApi } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import { Activity, Archive, Ban, Cable, CalendarClock, Gauge, KeyRound, Receipt, Wallet } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { apiQuery } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { selfQuery } from '#api/self.ts';
import { Button } from '#ui/basic/button.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { formatAge } from '#ui/format/time.ts';
import { useNow } from '#ui/format/use-now.ts';
import { languageTag } from '#i18n/i18n.ts';
import { useNotificationText } from './use-notification-text.ts';

/** Open lists follow what happens. */
const notificationsQuery = { ...apiQuery(notificationApi.list), refetchInterval: 30_000, meta: { quiet: true } };

const icons = {
  channelOff: Cable,
  channelOn: Cable,
  keyOff: KeyRound,
  keyOn: KeyRound,
  usage: Activity,
  order: Receipt,
  backupFailed: Archive,
  refusals: Ban,
  balanceLow: Wallet,
  limitNear: Gauge,
  tokenExpires: CalendarClock,
  planRenews: CalendarClock,
};

const tones = { info: 'text-text2', warning: 'text-warn', error: 'text-bad' };

/** Events that the reader should know, below the announcement. Nothing without any. */
export function Notifications({ onLeave }: { onLeave: () => void }) {
  const { t } = useTranslation('notification');
  const client = useQueryClient();
  const { data: list } = useQuery(notificationsQuery);
  const read = useMutation({
    mutationFn: (ids?: number[]) => call(notificationApi.read, { body: ids ? { ids } : {} }),
    onSuccess: ({ unread }) => {
      client.setQueryData<{ unread_notifications: number }>(
        selfQuery.queryKey,
        (self) => self && { ...self, unread_notifications: unread },
      );
      return client.invalidateQueries({ queryKey: notificationsQuery.queryKey });
    },
  });
  if (!list || list.data.length === 0) return null;
  return (
    <section aria-labelledby="notifications" className="mt-4 border-t border-line pt-3">
      <div className="flex min-h-8 items-center gap-2">
        <h3 id="notifications" className="flex-1 text-14 font-title text-text">
          {t('title')}
        </h3>
        {list.unread > 0 && (
          <Button size="sm" saves busy={read.isPending} onClick={() => read.mutate(undefined)}>
            {t('readAll')}
          </Button>
        )}
      </div>
      <ul className="-mx-2 mt-1">
        {list.data.map((each) => (
          <li key={each.id}>
            <Line
              of={each}
              onOpen={() => {
                if (!each.read) read.mutate([each.id]);
                onLeave();
              }}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Line({ of, onOpen }: { of: Notification; onOpen: () => void }) {
  const { t } = useTranslation('notification');
  const textOf = useNotificationText();
  const now = useNow(60);
  const { kind, severity, time, count, read } = of;
  const { title, detail } = textOf(of);
  return (
    <Link
      {...addressOfNotification(of)}
      onClick={onOpen}
      className="flex gap-2.5 rounded-control p-2 text-13 hover:bg-hover"
    >
      <Icon of={icons[kind]} className={cx('mt-0.5 flex-none', tones[severity])} />
      <span className="min-w-0 flex-1">
        <span className={cx('block break-words', read ? 'text-text2' : 'font-title text-text')}>
          {!read && <span className="sr-only">{t('unread')} </span>}
          {title}
          {count > 1 && <span className="text-text3"> ×{count}</span>}
        </span>
        {detail && <span className="line-clamp-2 text-12 break-words text-text2">{detail}</span>}
      </span>
      <span className="flex flex-none items-center gap-2 self-start text-12 text-text3">
        {formatAge(time, now, languageTag())}
        <span aria-hidden className={cx('size-[7px] rounded-full', !read && 'bg-accent')} />
      </span>
    </Link>
  );
}

/** Where the object of a notification is shown. */
function addressOfNotification({ kind, object_id: id, params }: Notification): Pick<LinkProps, 'to' | 'search'> {
  const text = (name: string): string => String(params[name] ?? '');
  switch (kind) {
    case 'order':
      return { to: '/panel/payment', search: { id } };
    case 'backupFailed':
      return { to: '/panel/setting', search: { tab: 'operation' } };
    case 'refusals':
      return {
        to: '/panel/log',
        search: { log_type: logType.refused, token_id: id, code: text('reason') },
      };
    case 'usage':
      return { to: '/panel/log', search: { request_id: text('request') } };
    case 'balanceLow':
    case 'planRenews':
      return { to: '/panel/topup' };
    case 'limitNear':
    case 'tokenExpires':
      return { to: '/panel/token', search: { show: id } };
    default:
      return { to: '/panel/channel', search: { show: id } };
  }
}
