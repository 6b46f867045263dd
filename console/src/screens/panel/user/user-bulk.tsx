import type { User } from '@relay-hub/contract';
import { useQueryClient } from '@tanstack/react-query';
import { CircleCheck, CircleMinus } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSession } from '#api/session.ts';
import { BulkAction } from '#ui/table/bulk-bar.tsx';
import type { Selection } from '#ui/table/use-selection.ts';
import { manageUsers } from './user-actions.ts';
import { may } from './user-permissions.ts';
import type { UserConfirmation } from './user-confirm.tsx';

interface Props {
  selection: Selection<User>;
  onAsk: (question: UserConfirmation) => void;
}

export function UserBulk({ selection: { rows, clear }, onAsk }: Props) {
  const { t } = useTranslation('user');
  const client = useQueryClient();
  const { user: me } = useSession();
  const toEnable = rows.filter((user) => may(me, 'enable', user));
  const toDisable = rows.filter((user) => may(me, 'disable', user));
  if (toEnable.length + toDisable.length === 0) return <span className="px-2 text-text2">{t('beyondYou')}</span>;
  return (
    <>
      {toEnable.length > 0 && (
        <BulkAction
          icon={CircleCheck}
          onClick={() => {
            void manageUsers(client, toEnable, 'enable');
            clear();
          }}
        >
          {t('enableMany', { count: toEnable.length })}
        </BulkAction>
      )}
      {toDisable.length > 0 && (
        <BulkAction
          icon={CircleMinus}
          danger
          onClick={() => onAsk({ about: 'disable', users: toDisable, onDone: clear })}
        >
          {t('disableMany', { count: toDisable.length })}
        </BulkAction>
      )}
    </>
  );
}
