import type { Token } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSelf } from '#api/self.ts';
import { useSession } from '#api/session.ts';
import { useUserGroups } from '#api/user-groups.ts';
import { cx } from '#ui/basic/cx.ts';
import { Money } from '#ui/format/money.tsx';
import { ProgressBar } from '#ui/feedback/progress-bar.tsx';
import { Secret } from '#ui/form/secret.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { Time } from '#ui/format/time.tsx';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { useNow } from '#ui/format/use-now.ts';
import { hasOldKey, stateOf } from './token-state.ts';
import { useTokenKey } from '#domain/token/use-token-key.ts';

interface Props {
  token: Token;
}

/** The name, with the holder in a team and the cost centre below. */
export function TokenName({ token: { name, tag, holder } }: Props) {
  return (
    <Tooltip text={name.length > 16 && name}>
      <span className="block truncate">{name}</span>
      {(tag !== '' || holder !== '') && (
        <span className="block truncate text-12/4 text-text2">
          {[holder, tag].filter((part) => part !== '').join(' · ')}
        </span>
      )}
    </Tooltip>
  );
}

export function TokenKey({ token }: Props) {
  const { t } = useTranslation('token');
  const { user } = useSession();
  const load = useTokenKey(token.id);
  // The key of a member of a team is known to them alone.
  if (token.member_id !== null && token.member_id !== user?.id)
    return <span className="font-mono text-12 text-text2">{token.key}</span>;
  return <Secret masked={token.key} load={load} name={t('keyOf', { name: token.name })} />;
}

/** The state, with the expiry of a valid token; while an old key still works, with its end. */
export function TokenStatus({ token }: Props) {
  const { t } = useTranslation('token');
  // An old key can have been ended just now.
  const now = useNow(token.old_key ? 1 : 30);
  const state = stateOf(token, now);
  if (state !== 'enabled') return <Status kind={state} />;
  if (!token.old_key || !hasOldKey(token, now))
    return (
      <Status kind={state} detail={token.expired_time > 0 ? <EndOf at={token.expired_time} now={now} /> : undefined} />
    );
  return (
    <Status
      kind="rotating"
      detail={
        <>
          {t('oldKey')}: <Time at={token.old_key.valid_until} as="relative" />
        </>
      }
    />
  );
}

/** The date, or in the last week the time left. */
function EndOf({ at, now }: { at: number; now: number }) {
  const near = at - now < nearSeconds;
  return <Time at={at} as={near ? 'relative' : 'date'} className={near ? 'text-warn' : undefined} />;
}

/** "vip ×0.8"; a token without a group uses its user's. */
export function TokenGroup({ token }: Props) {
  const { t } = useTranslation('token');
  const groups = useUserGroups();
  const own = useSelf().data?.group ?? '';
  const label = (symbol: string) => {
    const group = groups[symbol];
    return group ? `${group.name} ×${group.ratio}` : symbol;
  };
  if (token.group === '')
    return (
      <Tooltip text={label(own)}>
        <span className="text-text2">{t('followUser')}</span>
      </Tooltip>
    );
  return <span className="text-text2">{label(token.group)}</span>;
}

/** Spent and total credits, with a bar. */
export function TokenQuota({ token, className }: Props & { className?: string }) {
  const { t } = useTranslation('token');
  const { used_quota: used, remain_quota: left, unlimited_quota: unlimited } = token;
  const gone = left <= 0;
  return (
    <span className={cx('inline-flex max-w-full flex-col items-end align-middle tabular-nums', className)}>
      <span className="flex gap-1 leading-4.5">
        <Money credits={used} />
        <span className="text-text3">/ {unlimited ? t('unlimited') : <Money credits={used + left} />}</span>
      </span>
      {!unlimited && (
        <ProgressBar
          value={gone ? 1 : used}
          max={gone ? 1 : used + left}
          label={t('usage')}
          tone={gone ? 'warn' : 'neutral'}
          className="mt-0.5 w-28"
        />
      )}
    </span>
  );
}

const nearSeconds = 7 * 86_400;

/** Expiry date; in the last week also the time left. */
export function TokenExpiry({ token: { expired_time: at } }: Props) {
  const { t } = useTranslation('token');
  const left = at - useNow(30);
  const near = at > 0 && left > 0 && left < nearSeconds;
  return (
    <span className="inline-flex flex-col align-middle leading-4.5 text-text2">
      <Time at={at} as="date" none={t('neverExpires')} />
      {near && <Time at={at} as="relative" className="text-12/4 text-warn" />}
    </span>
  );
}

export function TokenLastUse({ token }: Props) {
  const { t } = useTranslation('token');
  return <Time at={token.accessed_time} as="relative" none={t('neverUsed')} className="text-text2" />;
}
