import { incidentApi, type Incident } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Status } from '#ui/feedback/status.tsx';
import { Time } from '#ui/format/time.tsx';
import { useNow } from '#ui/format/use-now.ts';
import { refreshIncidents } from './incident-api.ts';

const MUTE_S = 3600;

interface Props {
  incident: Incident;
  /** A message linked to it. */
  isShown: boolean;
}

export function IncidentRow({ incident, isShown }: Props) {
  const { t } = useTranslation('incident');
  const client = useQueryClient();
  const { id, severity, closed_at: closed, opened_at: opened, title, advice, cause, params } = incident;
  const { acknowledged_by: by, muted_until: muted } = incident;
  const change = useMutation({
    mutationFn: (body: { acknowledged?: boolean; muted_until?: number }) =>
      call(incidentApi.update, { params: { id }, body }),
    onSettled: () => refreshIncidents(client),
  });
  const now = useNow(30);
  const isOpen = closed === 0;
  const isMuted = muted > now;
  return (
    <li className={cx('grid grid-cols-1 gap-1.5 px-4 py-3', isShown && 'bg-fill')}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Status
          kind={isOpen ? (severity === 'warning' || severity === 'info' ? 'doubtful' : 'failing') : 'done'}
          text={t(isOpen ? `severity.${severity}` : 'over')}
        />
        <span className="min-w-0 font-title break-words">{title}</span>
        <span className="ml-auto text-12 text-text3">
          <Time at={opened} />
          {!isOpen && (
            <>
              {' – '}
              <Time at={closed} />
            </>
          )}
        </span>
      </div>
      {cause !== '' && <p className="font-mono text-12 break-words text-text2">{cause}</p>}
      {isOpen && (
        <div className="flex flex-wrap items-center gap-2">
          <p className="min-w-0 flex-1 basis-64 text-13 text-text2">{advice}</p>
          {typeof params['channel'] === 'number' && (
            <Button size="sm" render={<Link to="/panel/channel" search={{ edit: String(params['channel']) }} />}>
              {t('openChannel')}
            </Button>
          )}
          <Button size="sm" saves onClick={() => change.mutate({ acknowledged: by === '' })}>
            {by === '' ? t('acknowledge') : t('acknowledgedBy', { name: by })}
          </Button>
          <Button
            size="sm"
            saves
            onClick={() => change.mutate({ muted_until: isMuted ? 0 : Math.floor(now) + MUTE_S })}
          >
            {t(isMuted ? 'unmute' : 'mute')}
          </Button>
        </div>
      )}
    </li>
  );
}
