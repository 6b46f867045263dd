import type { Redemption } from '@relay-hub/contract';
import { useTranslation } from 'react-i18next';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { Money } from '#ui/format/money.tsx';
import { RowActions } from '#ui/table/table-row.tsx';
import { Time } from '#ui/format/time.tsx';
import { RedemptionCode, RedemptionStatus } from './redemption-cells.tsx';

interface Props {
  row: Redemption;
  menu: (row: Redemption) => MenuEntries;
}

const nameOf = ({ name }: Redemption) => name;

/** A code on a phone. */
export function RedemptionCard({ row, menu }: Props) {
  const { t } = useTranslation('redemption');
  return (
    <>
      <div className="-mt-1.5 flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate text-15">
          {row.name} <span className="text-13 text-text3 tabular-nums">#{row.id}</span>
        </span>
        <Money credits={row.quota} className="font-title" />
        <span className="-mr-2">
          <RowActions row={row} nameOf={nameOf} menu={menu} />
        </span>
      </div>
      <div className="flex min-w-0 items-center gap-3 text-13 text-text2">
        <RedemptionStatus row={row} />
        <span className="ml-auto min-w-0 truncate">
          {row.redeemed_username ? (
            t('by', { name: row.redeemed_username })
          ) : (
            <Time at={row.created_time} as="relative" />
          )}
        </span>
      </div>
      <div className="mt-0.5 -mb-2 flex min-w-0">
        <RedemptionCode row={row} />
      </div>
    </>
  );
}
