import { Box } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useOwners } from '#api/owners.ts';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { OwnerTile } from '#domain/model/owner-tile.tsx';
import type { FilterProps } from './price-list-filters.tsx';
import { ownerValue } from './price-list-rows.ts';

const row = 'flex h-9 w-full items-center gap-2.5 rounded-control px-2.5 text-left text-13 transition-colors';

/** The model owners with their number of models, as a sticky filter. */
export function PriceListOwners({ search, onSearch, owners, total }: FilterProps & { total: number }) {
  const { t } = useTranslation('price');
  const icons = new Map(useOwners().map(({ name, icon }) => [name, icon]));
  const choices = [
    { value: '', name: t('all'), count: total, tile: <Icon of={Box} size={18} className="mx-px text-text2" /> },
    ...owners.map(({ owner, count }) => ({
      value: ownerValue(owner),
      name: owner || t('otherOwner'),
      count,
      tile: <OwnerTile name={owner || '?'} icon={icons.get(owner)} size={20} />,
    })),
  ];
  return (
    <nav
      aria-label={t('owner')}
      className="sticky top-[calc(var(--sticky-top,0px)+12px)] max-h-[calc(100dvh-var(--sticky-top,0px)-24px)] w-46 flex-none overflow-y-auto [scrollbar-width:thin] max-md:hidden"
    >
      <ul className="grid gap-px">
        {choices.map(({ value, name, count, tile }) => (
          <li key={value}>
            <button
              type="button"
              aria-pressed={search.owner === value}
              onClick={() => onSearch({ owner: value })}
              className={cx(
                row,
                search.owner === value ? 'bg-fill font-title' : 'text-text2 hover:bg-hover hover:text-text',
              )}
            >
              {tile}
              <span className="min-w-0 flex-1 truncate">{name}</span>
              {count > 0 && <span className="text-12 font-normal text-text2 tabular-nums">{count}</span>}
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}
