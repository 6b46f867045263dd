import type { Incident } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { Status } from '#ui/feedback/status.tsx';
import { Time } from '#ui/format/time.tsx';
import { useNow } from '#ui/format/use-now.ts';

interface Props {
  incident: Incident;
  isShown: boolean;
}

/** An incident in the list; its title opens the details. */
export function IncidentRow({ incident, isShown }: Props) {
  const { t } = useTranslation('incident');
  const { id, closed_at: closed, opened_at: opened, title, cause } = incident;
  const { acknowledged_by: by, muted_until: muted } = incident;
  const isMuted = muted > useNow(30);
  return (
    <li className={cx('grid grid-cols-1 gap-1.5 px-4 py-3', isShown && 'bg-fill')}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <IncidentStatus incident={incident} />
        {id === 0 ? (
          <span className="min-w-0 font-title break-words">{title}</span>
        ) : (
          <Link
            to="/panel/incident"
            search={(search) => ({ ...search, show: id })}
            className="min-w-0 font-title break-words hover:underline"
          >
            {title}
          </Link>
        )}
        <span className="ml-auto text-12 text-text3">
          <Time at={opened} />
          {closed > 0 && (
            <>
              {' – '}
              <Time at={closed} />
            </>
          )}
        </span>
      </div>
      {cause !== '' && <p className="font-mono text-12 break-words text-text2">{cause}</p>}
      {closed === 0 && (by !== '' || isMuted) && (
        <p className="flex flex-wrap gap-x-3 text-12 text-text3">
          {by !== '' && <span>{t('acknowledgedBy', { name: by })}</span>}
          {isMuted && (
            <span>
              {t('mutedUntil')} <Time at={muted} />
            </span>
          )}
        </p>
      )}
    </li>
  );
}

export function IncidentStatus({ incident: { closed_at: closed, severity } }: { incident: Incident }) {
  const { t } = useTranslation('incident');
  if (closed > 0) return <Status kind="done" text={t('over')} />;
  const isMild = severity === 'warning' || severity === 'info';
  return <Status kind={isMild ? 'doubtful' : 'failing'} text={t(`severity.${severity}`)} />;
}
