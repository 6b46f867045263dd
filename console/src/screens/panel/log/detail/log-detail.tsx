import type { Log } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Waypoints } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useModelOwners } from '#api/model-owners.ts';
import { Button } from '#ui/basic/button.tsx';
import { CopyButton } from '#ui/basic/copy-button.tsx';
import { DetailDrawer } from '#ui/overlay/detail-drawer.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { OwnerTile } from '#domain/model/owner-tile.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Time } from '#ui/format/time.tsx';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { logRow } from '#screens/panel/log/log-api.ts';
import { LogAttempts } from './log-attempts.tsx';
import { Cost, LogType } from '#screens/panel/log/log-cells.tsx';
import { lazy, Suspense } from 'react';
import { LogCharge } from './log-charge.tsx';
import { CallStatus, LogFacts } from './log-facts.tsx';
import { LogRefusal, RefusalStatus, useRefusalTitle } from './log-refusal.tsx';
import { FactList, LogRequest } from './log-request.tsx';
import { attemptsOf, isCall, isRefused, kindOf } from '#screens/panel/log/log-row.ts';
import { formatWhole } from '#ui/format/number.ts';

/** Few installations keep contents. */
const LogContent = lazy(() => import('./log-content.tsx').then((module) => ({ default: module.LogContent })));

interface Props {
  id: number;
  admin: boolean;
  /** The list's rows, for next and previous. */
  rows: readonly Log[];
  /** Shows another row; 0 closes. */
  onGo: (id: number) => void;
}

export function LogDetail({ id, admin, rows, onGo }: Props) {
  const { t } = useTranslation('log');
  const ownerOf = useModelOwners();
  const at = rows.findIndex((row) => row.id === id);
  // Rows never change, so the list's copy serves; only rows on other pages are fetched. Refused calls keep counting,
  // and the list follows them.
  const { data, error, isFetching, refetch } = useQuery({
    ...logRow(id, admin),
    initialData: () => rows[at],
    staleTime: Infinity,
  });
  const titleOf = useRefusalTitle();
  const listed = rows[at];
  const row = data && isRefused(data) && listed ? listed : data;
  const to = (index: number) => {
    const next = at < 0 ? undefined : rows[index];
    return next && (() => onGo(next.id));
  };
  const called = row !== undefined && isCall(row);
  const owner = called ? ownerOf(row.model_name) : undefined;
  return (
    <DetailDrawer
      title={row ? (called ? row.model_name : isRefused(row) ? titleOf(row) : t(kindOf(row))) : t('title')}
      subtitle={row && <Subtitle row={row} />}
      tile={called && <OwnerTile name={owner?.name ?? row.model_name} icon={owner?.icon} size={32} />}
      onPrevious={to(at - 1)}
      onNext={to(at + 1)}
      footer={row && (called || isRefused(row)) && <Footer row={row} admin={admin} />}
      onClose={() => onGo(0)}
    >
      {error && !row && <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />}
      {!error && !row && <Loading />}
      {row && <Detail row={row} admin={admin} />}
    </DetailDrawer>
  );
}

function Detail({ row, admin }: { row: Log; admin: boolean }) {
  if (isCall(row)) return <CallDetail row={row} admin={admin} />;
  return isRefused(row) ? <LogRefusal row={row} admin={admin} /> : <LogNote row={row} admin={admin} />;
}

function CallDetail({ row, admin }: { row: Log; admin: boolean }) {
  return (
    <>
      <LogFacts row={row} />
      {attemptsOf(row).length > 0 && <LogAttempts row={row} />}
      <LogCharge row={row} />
      <LogRequest row={row} admin={admin} />
      {row.metadata?.content && (
        <Suspense>
          <LogContent key={row.id} row={row} admin={admin} />
        </Suspense>
      )}
    </>
  );
}

function Subtitle({ row }: { row: Log }) {
  const { t } = useTranslation('log');
  const phone = useIsPhone();
  if (phone) return <Time at={row.created_at} />;
  return (
    <>
      {isRefused(row) ? (
        <RefusalStatus row={row} />
      ) : (
        <>
          {isCall(row) ? <CallStatus row={row} /> : <LogType row={row} />}
          <Time at={row.created_at} />
        </>
      )}
      {row.request_id !== '' && (
        <span className="-my-1 inline-flex min-w-0 items-center font-mono text-12 text-text3">
          <Tooltip text={row.request_id} repeatsName>
            <span>
              <span className="sr-only">{row.request_id}</span>
              <span aria-hidden>{shortId(row.request_id)}</span>
            </span>
          </Tooltip>
          <CopyButton text={row.request_id} name={t('requestId')} />
        </span>
      )}
    </>
  );
}

const idEnds = 7;

const shortId = (id: string): string => (id.length > idEnds * 3 ? `${id.slice(0, idEnds)}…${id.slice(-idEnds)}` : id);

function Footer({ row, admin }: { row: Log; admin: boolean }) {
  const { t } = useTranslation('log');
  return (
    <>
      {row.request_id !== '' && (
        <CopyButton
          text={row.request_id}
          name={t('requestId')}
          variant="ghost"
          size="md"
          className="mr-auto -ml-3 max-sm:mr-0 max-sm:ml-0 max-sm:border-line2"
        >
          {t('copyId')}
        </CopyButton>
      )}
      {admin && row.channel && (
        <Button icon={Waypoints} render={<Link to="/panel/channel" search={{ show: row.channel.id }} />}>
          {t('openChannel')}
        </Button>
      )}
    </>
  );
}

function Loading() {
  return (
    <div className="grid grid-cols-1 gap-5">
      <Skeleton className="h-19 rounded-card" />
      <Skeleton className="h-30 rounded-card" />
      <Skeleton className="h-50 rounded-card" />
    </div>
  );
}

/** A row that is not a call: its remark and the change of the balance. */
function LogNote({ row, admin }: { row: Log; admin: boolean }) {
  const { t } = useTranslation('log');
  const facts = [
    ...(row.quota === 0 ? [] : [{ name: t('inCredits'), value: formatWhole(row.quota) }]),
    ...(admin ? [{ name: t('user'), value: row.username }] : []),
    ...(row.source_ip === '' ? [] : [{ name: t('ip'), value: row.source_ip }]),
  ];
  return (
    <div className="grid grid-cols-1 gap-4">
      {row.quota !== 0 && <Cost row={row} className="text-26 font-medium" />}
      <p className="break-words whitespace-pre-wrap">{row.content === '' ? t('noContent') : row.content}</p>
      {facts.length > 0 && <FactList facts={facts} />}
    </div>
  );
}
