import type { UserGroupRow } from '@relay-hub/contract';
import { useTranslation } from 'react-i18next';
import { useNamedGroup } from '#api/user-groups.ts';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { formatWhole } from '#ui/format/number.ts';
import { RowActions } from '#ui/table/table-row.tsx';
import { GroupName, GroupPick, ratioText } from './user-group-cells.tsx';
import { UserGroupSwitch } from './user-group-switch.tsx';

interface Props {
  group: UserGroupRow;
  menu: (group: UserGroupRow) => MenuEntries;
}

/** A group on a phone. */
export function UserGroupCard({ group, menu }: Props) {
  const { t } = useTranslation('userGroup');
  const named = useNamedGroup();
  return (
    <>
      <div className="-mt-1 flex items-center gap-3">
        <span className="min-w-0 flex-1">
          <GroupName group={group} />
        </span>
        <span className="font-title tabular-nums">{ratioText(group.ratio)}</span>
        <UserGroupSwitch group={group} />
        <span className="-mr-2">
          <RowActions row={group} nameOf={(row) => named(row).name} menu={menu} />
        </span>
      </div>
      <div className="mt-1 flex items-center gap-x-3 text-13 text-text2 tabular-nums">
        <GroupPick group={group} />
        <span>
          {t('users')} {formatWhole(group.users)}
        </span>
        <span>
          {t('models')} {formatWhole(group.models)}
        </span>
        <span className="ml-auto">{t('perMinute', { rate: formatWhole(group.api_rate) })}</span>
      </div>
    </>
  );
}
