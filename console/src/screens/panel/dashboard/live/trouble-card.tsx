import { logType, type Cockpit, type LiveTrouble } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import { useTranslation } from '#i18n/use-translation.ts';
import { useRefusalText } from '#domain/refusal/refusal-text.ts';
import { useTokenName } from '#domain/token/use-token-name.ts';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { formatTimeOfDay } from '#ui/format/time.ts';
import { useReasonText } from './use-reason-text.ts';

/** The newest failures, refusals and freezes, each once with its count. */
export function TroubleCard({ state }: { state: Cockpit | undefined }) {
  const { t } = useTranslation('cockpit');
  return (
    <Card aria-labelledby="live-trouble" className="min-w-0 overflow-clip">
      <CardHead id="live-trouble" title={t('trouble')}>
        <Link to="/panel/log" search={{ time: '1h', failed: 1 }} className="touch text-13 text-accent hover:underline">
          {t('failedCalls')}
        </Link>
        <Link
          to="/panel/log"
          search={{ time: '1h', log_type: logType.refused }}
          className="touch text-13 text-accent hover:underline"
        >
          {t('refusedCalls')}
        </Link>
      </CardHead>
      {!state ? (
        <div className="border-t border-line px-4 py-3">
          <Skeleton width="60%" />
        </div>
      ) : state.troubles.length === 0 ? (
        <p className="border-t border-line px-4 py-3 text-13 text-text2">{t('noTrouble')}</p>
      ) : (
        <ul>
          {state.troubles.map((each) => (
            <li key={`${each.kind} ${each.status} ${each.reason} ${each.channel_id} ${each.username} ${each.token}`}>
              <TroubleLine of={each} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function TroubleLine({ of }: { of: LiveTrouble }) {
  const { t } = useTranslation('cockpit');
  const tokenName = useTokenName();
  const { kind, time, count, channel, model, username, token, users } = of;
  const who =
    users > 1
      ? t('users_count', { count: users, total: formatWhole(users) })
      : [username, tokenName(token)].filter(Boolean).join(' · ');
  return (
    <Link
      to="/panel/log"
      search={searchOf(of)}
      className="grid grid-cols-[72px_104px_minmax(0,1fr)_minmax(0,200px)_minmax(0,200px)_56px] items-center gap-x-3 border-t border-line px-4 py-1.5 text-13 hover:bg-hover max-lg:grid-cols-[72px_96px_minmax(0,1fr)_56px] max-sm:grid-cols-[1fr_auto] max-sm:gap-y-0.5 max-sm:py-2"
    >
      <span className="text-text2 tabular-nums max-sm:order-2 max-sm:text-12">{formatTimeOfDay(time)}</span>
      <span className="max-sm:order-1">
        <Status kind={kind} />
      </span>
      <span className="min-w-0 truncate max-sm:order-3">
        <Reason of={of} />
      </span>
      <span className="min-w-0 max-lg:order-5 max-lg:col-start-3 max-lg:text-12 max-lg:text-text2 max-sm:col-span-2 max-sm:col-start-1">
        <MiddleCut text={kind === 'refused' ? model : channel || model} />
        <span className="lg:hidden">{who && ` · ${who}`}</span>
      </span>
      <span className="min-w-0 truncate text-text2 max-lg:hidden">{who}</span>
      <span className="text-right tabular-nums max-lg:order-4 max-sm:order-4">×{formatWhole(count)}</span>
    </Link>
  );
}

function Reason({ of: { kind, status, reason, message } }: { of: LiveTrouble }) {
  const { t } = useTranslation('cockpit');
  const refusal = useRefusalText();
  const reasonOf = useReasonText();
  if (kind === 'refused') return `${status} ${refusal.named(reason, status)}`;
  const text = [kind === 'failed' && status > 0 && status, reasonOf(reason)].filter(Boolean).join(' ');
  if (kind === 'frozen') return t('froze', { reason: text });
  return (
    <>
      {text}
      {message && <span className="text-text3"> · {message}</span>}
    </>
  );
}

/** The log with these calls. */
function searchOf({ kind, channel_id, reason, status, username, users, model }: LiveTrouble) {
  const by = users > 1 || username === '' ? {} : { username };
  if (kind === 'refused') return { time: '1h', log_type: logType.refused, code: reason, status, ...by };
  const at = channel_id > 0 ? { channel_id } : { model_name: model };
  return kind === 'failed' ? { time: '1h', failed: 1, ...at, ...by } : { time: '1h', ...at };
}
