import type { Inviter } from '@relay-hub/contract';
import { TriangleAlert } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Avatar } from '#ui/basic/avatar.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';

interface Props {
  inviter: Inviter;
}

export function InviterName({ inviter }: Props) {
  const { id, username, display_name: shown } = inviter;
  return (
    <span className="flex min-w-0 items-center gap-2.5">
      <Avatar user={inviter} size={28} tone="neutral" />
      <span className="grid min-w-0 leading-4.5">
        <MiddleCut text={username} />
        <span className="truncate text-12/4 text-text2">
          #{id}
          {shown !== '' && shown !== username && ` · ${shown}`}
        </span>
      </span>
    </span>
  );
}

/** Why an inviter is suspicious; nothing if they are not. */
export function InviterSigns({ inviter: { suspicious } }: Props) {
  const { t } = useTranslation('inviter');
  if (suspicious.length === 0) return null;
  return (
    <span className="inline-flex max-w-full items-center gap-1.5 align-middle text-13 text-warn">
      <Icon of={TriangleAlert} />
      <span className="truncate">{suspicious.map((reason) => t(`reason.${reason}`)).join(' · ')}</span>
    </span>
  );
}
