import { channelStatus, splitList, type ActivityDays, type Channel, type ChannelKey } from '@relay-hub/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Zap } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { activityOf } from '#domain/activity/activity-api.ts';
import { ActivityBody } from '#domain/activity/activity-body.tsx';
import { FactList } from '#domain/activity/fact-list.tsx';
import { ObjectDrawer } from '#domain/activity/object-drawer.tsx';
import { ViewFooter } from '#domain/activity/view-footer.tsx';
import { OwnerTile } from '#domain/model/owner-tile.tsx';
import { SuccessRate } from '#domain/channel/health-strip.tsx';
import { rowId } from '#list/use-list-screen.ts';
import { Button } from '#ui/basic/button.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { formatDateTime } from '#ui/format/time.ts';
import { Time } from '#ui/format/time.tsx';
import { DetailSection } from '#ui/overlay/detail-section.tsx';
import { channelPage, queryOf, type ChannelSearch } from '#screens/panel/channel/channel-api.ts';
import { channelKeys, channelRecord } from '#screens/panel/channel/channel-more-api.ts';
import { balanceText, latencyText, useIsTesting } from '#screens/panel/channel/checks/channel-test-state.ts';
import { testWithToast } from '#screens/panel/channel/checks/lazy-channel-actions.ts';
import { WithoutResponsesNote } from '#screens/panel/channel/list/without-responses.tsx';
import { ChannelState, LastError, statusKind } from '#screens/panel/channel/list/channel-status.tsx';
import { useTypeTitle } from '#screens/panel/channel/list/use-channel-columns.tsx';

const ServedList = lazy(() => import('./served-list.tsx'));
const LimitUseList = lazy(() => import('#screens/panel/channel/list/limit-use-list.tsx'));

interface Props {
  id: number;
  search: ChannelSearch;
  onGo: (id: number) => void;
  onEdit: (id: number) => void;
  onClose: () => void;
}

const noRows: Channel[] = [];

/** The read view of a channel: its attempts, and the state of its keys. */
export function ChannelView({ id, search, onGo, onEdit, onClose }: Props) {
  const { t } = useTranslation(['activity', 'channel']);
  const [days, setDays] = useState<ActivityDays>('1');
  const typeTitle = useTypeTitle();
  const rows = useQuery({ ...channelPage(queryOf(search)), enabled: search.view !== 'tags' }).data?.data ?? noRows;
  const listed = rows.find((row) => row.id === id);
  const { data, error, isFetching, refetch } = useQuery({ ...channelRecord(id), enabled: !listed });
  return (
    <ObjectDrawer
      id={id}
      rows={rows}
      keyOf={rowId}
      onGo={(next) => onGo(Number(next))}
      record={listed ?? data}
      error={error}
      busy={isFetching}
      onRetry={() => void refetch()}
      placeholder={t('channel:channel')}
      titleOf={({ name }) => name}
      tile={({ type, name }) => <OwnerTile name={typeTitle(type) || name} size={32} />}
      subtitle={(channel) => <Subtitle channel={channel} type={typeTitle(channel.type)} />}
      footer={(channel) => <Footer channel={channel} onEdit={() => onEdit(channel.id)} />}
      onClose={onClose}
    >
      {(channel) => (
        <>
          <WithoutResponsesNote channel={channel} />
          {channel.last_error !== '' && (
            <p className="-mt-1 mb-3 text-13 break-words">
              <LastError channel={channel} />
            </p>
          )}
          <ActivityBody
            subject={{ of: 'channel', id: channel.id }}
            days={days}
            onDays={setDays}
            allTime={channel.used_quota}
            log={{ channel_id: channel.id }}
            setup={<Setup channel={channel} />}
          >
            {channel.limit_use.length > 0 && (
              <Suspense>
                <DetailSection title={t('channel:limitUse')}>
                  <LimitUseList uses={channel.limit_use} />
                </DetailSection>
              </Suspense>
            )}
            <Keys channel={channel} days={days} />
            <Suspense>
              <ServedList channel={channel.id} days={days} />
            </Suspense>
          </ActivityBody>
        </>
      )}
    </ObjectDrawer>
  );
}

function Subtitle({ channel, type }: { channel: Channel; type: string }) {
  return (
    <span className="flex flex-wrap items-start gap-x-3">
      <ChannelState channel={channel} />
      <span>{[`#${channel.id}`, type, channel.tag].filter((fact) => fact !== '').join(' · ')}</span>
    </span>
  );
}

function Footer({ channel, onEdit }: { channel: Channel; onEdit: () => void }) {
  const { t } = useTranslation('activity');
  const client = useQueryClient();
  const busy = useIsTesting(channel.id);
  return (
    <ViewFooter log={{ channel_id: channel.id }} onEdit={onEdit}>
      <Button icon={Zap} saves busy={busy} onClick={() => void testWithToast(client, channel)}>
        {t('test')}
      </Button>
    </ViewFooter>
  );
}

function Setup({ channel }: { channel: Channel }) {
  const { t } = useTranslation('activity');
  const { models, group, priority, weight, response_time: ms, test_time: testedAt, base_url: address } = channel;
  return (
    <FactList
      title={t('setup')}
      facts={[
        [t('models'), splitList(models).length],
        [t('groups'), splitList(group).join(', ')],
        [t('priority'), `${priority}, ${weight}`],
        [
          t('lastTest'),
          ms > 0 ? (
            <>
              {latencyText(ms)}, <Time at={testedAt} as="relative" />
            </>
          ) : (
            t('never')
          ),
        ],
        ...(channel.balance_updated_time === 0 && channel.balance_error === ''
          ? []
          : [[t('balance'), <ChannelBalance key="balance" channel={channel} />] as const]),
        ...(address === '' ? [] : [[t('address'), address] as const]),
      ]}
    />
  );
}

/** The balance of the account, and since when and why it could not be read. */
function ChannelBalance({ channel }: { channel: Channel }) {
  const { t } = useTranslation('channel');
  const { balance_updated_time: at, balance_error: reason } = channel;
  if (at === 0) return t('balance.never', { reason });
  return (
    <>
      {balanceText(channel)}, {reason === '' ? <Time at={at} as="relative" /> : null}
      {reason !== '' && (
        <span className="break-words text-warn">{t('balance.since', { time: formatDateTime(at), reason })}</span>
      )}
    </>
  );
}

const mostKeys = 12;

/** Disabled and failing keys first; the form lists all of them. */
const shownKeys = (keys: readonly ChannelKey[]): readonly ChannelKey[] =>
  keys.toSorted((a, b) => rankOf(b) - rankOf(a) || a.id - b.id).slice(0, mostKeys);

const rankOf = ({ status, last_error: error }: ChannelKey): number =>
  status === channelStatus.enabled ? (error === '' ? 0 : 1) : 2;

/** Keys with their state and last error; the heading has their number. */
function Keys({ channel, days }: { channel: Channel; days: ActivityDays }) {
  const { t } = useTranslation('activity');
  // Loaded by the view already.
  const { data: activity } = useQuery(activityOf({ of: 'channel', id: channel.id }, days));
  const tries = new Map(activity?.keys.map((key) => [key.id, key]));
  const { data, error } = useQuery(channelKeys(channel.id));
  return (
    <DetailSection title={t('keys')} aside={data?.length}>
      {error && <Note tone="bad">{error.message}</Note>}
      {!data && !error && <Skeleton width="100%" />}
      {data && (
        <ul className="divide-y divide-line overflow-hidden rounded-card border border-line text-13">
          {shownKeys(data).map(
            ({ id, key_hint: hint, status, reason, last_error: lastError, last_error_time: at, ...key }) => (
              <li key={id} className="flex min-h-10 flex-wrap items-center gap-x-4 gap-y-0.5 px-3 py-1.5">
                <span className="w-36 truncate font-mono">{hint}</span>
                <Status kind={statusKind(status)} />
                <span className="min-w-0 flex-1 truncate text-12 text-text2">
                  {status !== channelStatus.disabled && (lastError || reason)}
                </span>
                {data.length > 1 && <KeyTries tries={tries.get(id)} />}
                <span className="min-w-16 text-right text-12 text-text2 tabular-nums max-sm:min-w-0">
                  {lastError !== '' ? (
                    <Time at={at} as="relative" />
                  ) : (
                    key.response_time > 0 && latencyText(key.response_time)
                  )}
                </span>
              </li>
            ),
          )}
        </ul>
      )}
    </DetailSection>
  );
}

/** Attempts with a key in the period, and how many went well. */
function KeyTries({ tries }: { tries: { requests: number; failures: number } | undefined }) {
  const { t } = useTranslation('activity');
  if (!tries)
    return (
      <span className="w-44 text-right text-12 whitespace-nowrap max-sm:w-auto max-sm:text-left text-text3">
        {t('noAttempts')}
      </span>
    );
  return (
    <span className="w-44 text-right text-12 whitespace-nowrap max-sm:w-auto max-sm:text-left text-text2 tabular-nums">
      {t('keyAttempts', { count: tries.requests, attempts: formatWhole(tries.requests) })}
      {' · '}
      <SuccessRate of={tries} />
    </span>
  );
}
