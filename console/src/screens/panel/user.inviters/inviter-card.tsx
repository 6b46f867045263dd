import type { Inviter } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { Money } from '#ui/format/money.tsx';
import { formatWhole } from '#ui/format/number.ts';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { RowActions } from '#ui/table/table-row.tsx';
import { InviterName, InviterSigns } from './inviter-cells.tsx';

interface Props {
  inviter: Inviter;
  menu: (inviter: Inviter) => MenuEntries;
}

const nameOf = ({ username }: Inviter) => username;

export function InviterCard({ inviter, menu }: Props) {
  const { t } = useTranslation('inviter');
  return (
    <>
      <div className="-mt-1 flex items-center gap-2">
        <span className="min-w-0 flex-1">
          <InviterName inviter={inviter} />
        </span>
        <Money credits={inviter.earned} className="flex-none" />
        <span className="-mr-2">
          <RowActions row={inviter} nameOf={nameOf} menu={menu} />
        </span>
      </div>
      <div className="mt-1.5 -mb-0.5 flex items-center gap-3 text-13">
        <span className="flex-none text-text2 tabular-nums">
          {t('invitedCount', { count: formatWhole(inviter.invited) })}
        </span>
        <span className="ml-auto min-w-0">
          <InviterSigns inviter={inviter} />
        </span>
      </div>
    </>
  );
}
