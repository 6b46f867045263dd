import { userStatus, type User } from '@relay-hub/contract';
import { ShieldCheck, ShieldHalf, TriangleAlert } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSession } from '#api/session.ts';
import { Avatar } from '#ui/basic/avatar.tsx';
import { Badge } from '#ui/basic/badge.tsx';
import { cx } from '#ui/basic/cx.ts';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import { Money } from '#ui/format/money.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { Time } from '#ui/format/time.tsx';
import { rankOf } from './user-permissions.ts';

interface Props {
  user: User;
}

export function UserName({ user }: Props) {
  const { t } = useTranslation('user');
  const { user: me } = useSession();
  const { id, username, display_name: shown } = user;
  return (
    <span className="flex min-w-0 items-center gap-2.5">
      <Avatar user={user} size={28} tone="neutral" />
      <span className="grid min-w-0 leading-4.5">
        <span className="flex min-w-0 items-center gap-1.5">
          <MiddleCut text={username} />
          {me?.id === id && <Badge tone="accent">{t('you')}</Badge>}
        </span>
        <span className="truncate text-12/4 text-text2">
          #{id}
          {shown !== '' && shown !== username && ` · ${shown}`}
        </span>
      </span>
    </span>
  );
}

export function UserMoney({ user, className }: Props & { className?: string }) {
  const { t } = useTranslation('user');
  const { quota: left, used_quota: used } = user;
  return (
    <span className={cx('inline-flex max-w-full flex-col items-end align-middle leading-4.5 tabular-nums', className)}>
      <Money credits={left} className={left <= 0 ? 'text-warn' : undefined} />
      <span className="text-12/4 text-text2">
        <TextWithElements text={t('used')} parts={{ amount: <Money credits={used} /> }} />
      </span>
    </span>
  );
}

const looks = {
  user: [undefined, 'text-text2'],
  admin: [ShieldHalf, 'text-text'],
  root: [ShieldCheck, 'text-text font-title'],
  unknown: [TriangleAlert, 'text-bad'],
} as const;

/** Plain text for users; administrators are highlighted. */
export function UserRole({ user }: Props) {
  const { t } = useTranslation('user');
  const rank = rankOf(user.role);
  const [icon, tone] = looks[rank];
  return (
    <span className={cx('inline-flex max-w-full items-center gap-1.5 align-middle text-13', tone)}>
      {icon && <Icon of={icon} />}
      <span className="truncate">{t(`roles.${rank}`)}</span>
    </span>
  );
}

export function UserStatus({ user }: Props) {
  const { t } = useTranslation('user');
  if (user.deleted_time > 0) return <Status kind="closed" text={t('deleted')} />;
  return <Status kind={user.status === userStatus.disabled ? 'disabled' : 'enabled'} />;
}

export function UserAge({ user }: Props) {
  return (
    <span className="inline-flex max-w-full flex-col align-middle leading-4.5 text-text2">
      <Time at={user.created_time} as="date" />
      <span className="truncate text-12/4">
        <UserLastCall user={user} />
      </span>
    </span>
  );
}

export function UserLastCall({ user: { last_call_time: at } }: Props) {
  const { t } = useTranslation('user');
  if (at === 0) return t('neverCalled');
  return <TextWithElements text={t('called')} parts={{ age: <Time at={at} as="relative" /> }} />;
}
