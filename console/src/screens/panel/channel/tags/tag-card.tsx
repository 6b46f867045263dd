import { splitList, type ChannelTag } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { ChannelTile } from '#domain/channel/channel-tile.tsx';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { Money } from '#ui/format/money.tsx';
import { RowActions } from '#ui/table/table-row.tsx';
import { TagHealth } from './tag-health.tsx';

const nameOf = ({ tag }: ChannelTag) => tag;

export function TagCard({ row, menu }: { row: ChannelTag; menu: (row: ChannelTag) => MenuEntries }) {
  const { t } = useTranslation('channel');
  return (
    <div className="grid grid-cols-1 gap-2 text-13">
      <div className="-mt-1 -mr-1.5 flex items-center gap-2">
        <ChannelTile type={row.types[0]} name={row.tag} />
        <span className="min-w-0 flex-1 truncate text-14">{row.tag}</span>
        <RowActions row={row} nameOf={nameOf} menu={menu} />
      </div>
      <TagHealth row={row} />
      <div className="flex flex-wrap justify-between gap-x-3 text-text2 tabular-nums">
        <span>
          {t('kin.modelSum', { count: splitList(row.models).length })} · {t('usedAmount')}{' '}
          <Money credits={row.used_quota} />
        </span>
        <span>
          {t('priority')} {row.priority}
        </span>
      </div>
    </div>
  );
}
