import type { Activity, FailedCall } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import { useTranslation } from '#i18n/use-translation.ts';
import { ListTime } from '#ui/format/list-time.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { DetailSection } from '#ui/overlay/detail-section.tsx';

export type LogFilter = Partial<Record<'username' | 'model_name', string> & Record<'channel_id' | 'token_id', number>>;

interface Props {
  activity: Activity;
  attempts: boolean;
  own: boolean;
  log: LogFilter;
}

/** The latest failures with the outcome of each call; a row leads to the call in the log. */
export function LastFailures({ activity, attempts, own, log }: Props) {
  const { t } = useTranslation('activity');
  const { failures, rescues_of: of } = activity;
  const more = failures.length > 0 && (
    <Link className="touch text-accent hover:underline" to="/panel/log" search={{ ...log, failed: 1 }}>
      {t('inLog')}
    </Link>
  );
  return (
    <DetailSection title={t('lastFailures')} aside={more}>
      {failures.length === 0 ? (
        <p className="text-13 text-text2">{t('noneFailed')}</p>
      ) : (
        <ul className="divide-y divide-line overflow-hidden rounded-card border border-line text-13">
          {failures.map((failure) => (
            <li key={failure.id}>
              <FailureRow failure={failure} attempts={attempts} own={own} />
            </li>
          ))}
        </ul>
      )}
      {failures.some(({ rescued_by: by }) => by !== null) && (
        <p className="mt-1.5 text-12 text-text3">{t('rescuesOf', { number: formatWhole(of) })}</p>
      )}
    </DetailSection>
  );
}

function FailureRow({ failure, attempts, own }: { failure: FailedCall; attempts: boolean; own: boolean }) {
  const { t } = useTranslation('activity');
  const { id, created_at: at, model_name: model, kind, status, message, rescued_by: by } = failure;
  const reason = status >= 300 && kind !== 'rate' ? `${status} ${t(`kind.${kind}`)}` : t(`kind.${kind}`);
  // The status is shown already.
  const text = message.startsWith(`${status} `) ? message.slice(String(status).length + 1) : message;
  const where = attempts ? failure.username : failure.channel_name;
  return (
    <Link
      to="/panel/log"
      search={{ id }}
      className="grid grid-cols-[104px_minmax(0,1fr)_minmax(0,1.3fr)_148px] items-baseline gap-x-3 px-3 py-2 -outline-offset-2 hover:bg-hover max-sm:grid-cols-[minmax(0,1fr)_auto]"
    >
      <ListTime at={at} brief />
      <span className="truncate max-sm:text-right">{model}</span>
      <span className="min-w-0">
        <span className="block truncate text-bad">{reason}</span>
        {text !== '' && <span className="line-clamp-2 text-12 break-words text-text2">{text}</span>}
      </span>
      <span className="truncate text-right text-12 text-text2 max-sm:max-w-40">
        {attempts && (by ? t('rescued', { channel: by.name || `#${by.id}` }) : t('callFailed'))}
        {!own && where !== '' && <span className="block truncate">{where}</span>}
      </span>
    </Link>
  );
}
