import { profileApi, type OwnSession } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { CircleHelp, Laptop, Smartphone, SquareTerminal } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { refresh } from '#api/api-query.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { Chip } from '#ui/basic/chip.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Time } from '#ui/format/time.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { deviceOf, type Device } from './device-of.ts';
import { endOtherSessions, endSession, sessionsQuery } from './profile-api.ts';

const Confirm = lazy(async () => ({ default: (await import('#ui/overlay/confirm.tsx')).Confirm }));

/** Number of sessions shown at first. */
const most = 8;

/** The account's sessions, each with a sign-out button. */
export function SessionsCard() {
  const { t } = useTranslation('profile');
  const client = useQueryClient();
  const { data, error, isFetching, refetch } = useQuery(sessionsQuery);
  const [asking, setAsking] = useState(false);
  const [all, setAll] = useState(false);
  // The current session first, then by last use.
  const rows = data?.toSorted((a, b) => Number(b.current) - Number(a.current));
  const shown = all ? (rows ?? []) : (rows ?? []).slice(0, most);
  const others = rows?.filter(({ current }) => !current).length ?? 0;
  const endOthers = useMutation({
    mutationFn: endOtherSessions,
    onSuccess: ({ ended }) => toast.success(t('endedOthers', { count: ended })),
    onSettled: () => refresh(client, profileApi.sessions),
  });
  return (
    <Card aria-labelledby="profile-sessions">
      <CardHead id="profile-sessions" title={t('sessions')}>
        {others > 0 && <Button onClick={() => setAsking(true)}>{t('endOthers', { count: others })}</Button>}
      </CardHead>
      {error && !data ? (
        <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
      ) : (
        <>
          <ul aria-busy={!rows}>{rows ? shown.map((row) => <Row key={row.id} session={row} />) : <Bones />}</ul>
          {shown.length < (rows?.length ?? 0) && (
            <div className="border-t border-line px-2 py-1.5">
              <Button variant="ghost" onClick={() => setAll(true)}>
                {t('showAll', { count: rows?.length })}
              </Button>
            </div>
          )}
        </>
      )}
      {asking && (
        <Suspense>
          <Confirm
            title={t('endOthersTitle', { count: others })}
            text={t('endOthersText')}
            action={t('endOthersAction')}
            onConfirm={() => endOthers.mutateAsync()}
            onClose={() => setAsking(false)}
          />
        </Suspense>
      )}
    </Card>
  );
}

function Bones() {
  return (
    <li className="flex h-14 items-center border-t border-line px-4">
      <Skeleton width="60%" />
    </li>
  );
}

const icons = { desk: Laptop, phone: Smartphone, program: SquareTerminal, unknown: CircleHelp };

function Row({ session }: { session: OwnSession }) {
  const { t } = useTranslation('profile');
  const client = useQueryClient();
  const device = deviceOf(session.user_agent);
  const name = useDeviceName()(device);
  const end = useMutation({
    mutationFn: () => endSession(session.id),
    onSuccess: () => toast.success(t('ended', { name })),
    // A session that had already ended disappears too.
    onSettled: () => refresh(client, profileApi.sessions),
  });
  return (
    <li className="flex min-h-14 items-center gap-3 border-t border-line py-2 pr-3 pl-4">
      <span className="grid size-7 flex-none place-items-center rounded-tile bg-fill text-text2">
        <Icon of={icons[device.kind]} />
      </span>
      <div className="min-w-0 flex-1">
        <div className="flex min-w-0 items-center gap-2">
          <Tooltip text={session.user_agent}>
            <span className="truncate">{name}</span>
          </Tooltip>
          {session.current && <Chip tone="accent">{t('here')}</Chip>}
        </div>
        <div className="truncate text-13 text-text2">
          {session.ip} · {session.current ? t('now') : <Time at={session.seen_time} as="relative" />}
        </div>
      </div>
      {!session.current && (
        <Button size="sm" busy={end.isPending} aria-label={t('endOf', { name })} onClick={() => end.mutate()}>
          {t('end')}
        </Button>
      )}
    </li>
  );
}

function useDeviceName(): (device: Device) => string {
  const { t } = useTranslation('profile');
  return ({ kind, name, system }) => {
    if (kind === 'unknown') return system || t('unknownDevice');
    if (kind === 'program') return t('program', { name });
    return system === '' ? name : t('onSystem', { browser: name, system });
  };
}
