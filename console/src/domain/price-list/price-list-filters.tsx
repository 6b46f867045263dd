import type { UserGroup } from '@relay-hub/contract';
import { ChevronDown } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { MenuButton } from '#ui/overlay/menu-button.tsx';
import { formatPlain } from '#ui/format/number.ts';
import { SearchField } from '#ui/table/search-field.tsx';
import { Segmented } from '#ui/form/segmented.tsx';
import { useIsPhone, useMedia } from '#ui/basic/use-media.ts';
import { ownerOf, ownerValue, type OwnerCount } from './price-list-rows.ts';
import type { PriceListSearch } from './price-list-search.ts';

export interface FilterProps {
  search: PriceListSearch;
  onSearch: (change: Partial<PriceListSearch>) => void;
  groups: Readonly<Record<string, UserGroup>>;
  /** The group whose prices are shown. */
  group: UserGroup | undefined;
  owners: readonly OwnerCount[];
}

/** Media query: no room for owners next to the list, where they become a filter. */
export const noOwners = '(width < 1200px)';

/** Up to this many options are segments; more are a select. */
const mostSegments = 4;

const groupWords = ({ name, ratio }: UserGroup): string => `${name} ×${formatPlain(ratio)}`;

/** Search, group, billing type, currency and unit. */
export function PriceListFilters(props: FilterProps) {
  return useIsPhone() ? <PhoneFilters {...props} /> : <WideFilters {...props} />;
}

function WideFilters({ search, onSearch, groups, group, owners }: FilterProps) {
  const { t } = useTranslation('price');
  const narrow = useMedia(noOwners);
  const all = Object.values(groups);
  return (
    <search className="mb-4 flex flex-wrap items-center gap-2">
      <Search search={search} onSearch={onSearch} className="w-50" />
      {all.length > 1 && all.length <= mostSegments && (
        <Segmented
          label={t('group')}
          value={group?.symbol ?? ''}
          options={all.map((each) => ({ value: each.symbol, label: <GroupLabel group={each} /> }))}
          onChange={(symbol) => onSearch({ group: symbol })}
        />
      )}
      {all.length > mostSegments && <GroupMenu {...{ search, onSearch, groups, group }} />}
      {narrow && <OwnerMenu {...{ search, onSearch, owners }} />}
      <TypeMenu search={search} onSearch={onSearch} />
      <div className="ml-auto flex flex-wrap gap-2">
        <Segmented
          label={t('currency')}
          value={search.currency}
          options={[
            { value: 'USD', label: t('usd') },
            { value: 'CNY', label: t('cny') },
          ]}
          onChange={(currency) => onSearch({ currency })}
        />
        <Segmented
          label={t('unit')}
          value={search.per}
          options={[
            { value: '1K', label: t('per1K') },
            { value: '1M', label: t('per1M') },
          ]}
          onChange={(per) => onSearch({ per })}
        />
      </div>
    </search>
  );
}

function PhoneFilters({ search, onSearch, groups, group, owners }: FilterProps) {
  return (
    <search className="mb-3 grid grid-cols-1 gap-2">
      <Search search={search} onSearch={onSearch} className="w-full" />
      <div className="flex flex-wrap gap-2">
        {Object.keys(groups).length > 1 && <GroupMenu {...{ search, onSearch, groups, group }} />}
        <OwnerMenu {...{ search, onSearch, owners }} />
        <UnitMenu search={search} onSearch={onSearch} />
        <TypeMenu search={search} onSearch={onSearch} />
      </div>
    </search>
  );
}

type PartProps = Pick<FilterProps, 'search' | 'onSearch'>;

function Search({ search, onSearch, className }: PartProps & { className: string }) {
  const { t } = useTranslation('price');
  return (
    <SearchField
      value={search.keyword}
      placeholder={t('search')}
      onChange={(keyword) => onSearch({ keyword })}
      className={className}
    />
  );
}

function GroupLabel({ group: { name, ratio } }: { group: UserGroup }) {
  return (
    <>
      {name}&nbsp;<span className="text-12 text-text2 tabular-nums">×{formatPlain(ratio)}</span>
    </>
  );
}

function GroupMenu({ search, onSearch, groups, group }: Omit<FilterProps, 'owners'>) {
  const { t } = useTranslation('price');
  return (
    <ChipMenu
      name={t('group')}
      value={group ? groupWords(group) : ''}
      set={search.group !== ''}
      chosen={group?.symbol ?? ''}
      options={Object.values(groups).map((each) => ({ value: each.symbol, label: groupWords(each) }))}
      onPick={(symbol) => onSearch({ group: symbol })}
    />
  );
}

function OwnerMenu({ search, onSearch, owners }: Pick<FilterProps, 'search' | 'onSearch' | 'owners'>) {
  const { t } = useTranslation('price');
  const owner = owners.find((each) => search.owner !== '' && each.owner === ownerOf(search.owner));
  return (
    <ChipMenu
      name={t('owner')}
      value={owner ? owner.owner || t('otherOwner') : t('all')}
      set={owner !== undefined}
      chosen={search.owner}
      options={[
        { value: '', label: t('all') },
        ...owners.map((each) => ({
          value: ownerValue(each.owner),
          label: `${each.owner || t('otherOwner')} · ${each.count}`,
        })),
      ]}
      onPick={(value) => onSearch({ owner: value })}
    />
  );
}

function TypeMenu({ search, onSearch }: PartProps) {
  const { t } = useTranslation('price');
  const words = { '': t('all'), tokens: t('byTokens'), times: t('byCall') };
  const types = ['', 'tokens', 'times'] as const;
  return (
    <ChipMenu
      name={t('billing')}
      value={words[search.type] ?? t('all')}
      set={search.type !== ''}
      chosen={search.type}
      options={types.map((value) => ({ value, label: words[value] }))}
      onPick={(value) => onSearch({ type: types.find((type) => type === value) ?? '' })}
    />
  );
}

function UnitMenu({ search, onSearch }: PartProps) {
  const { t } = useTranslation('price');
  const units = (['USD', 'CNY'] as const).flatMap((currency) =>
    (['1K', '1M'] as const).map((per) => ({
      currency,
      per,
      value: currency + per,
      label: unitWords({ currency, per }),
    })),
  );
  return (
    <ChipMenu
      label={t('unit')}
      value={unitWords(search)}
      chosen={search.currency + search.per}
      options={units}
      onPick={(value) => {
        const unit = units.find((each) => each.value === value);
        if (unit) onSearch({ currency: unit.currency, per: unit.per });
      }}
    />
  );
}

const unitWords = ({ currency, per }: Pick<PriceListSearch, 'currency' | 'per'>): string =>
  `${currency === 'CNY' ? '¥' : '$'} / ${per}`;

interface ChipProps {
  /** Text before the value. */
  name?: string;
  label?: string;
  value: string;
  set?: boolean;
  chosen: string;
  options: readonly { value: string; label: string }[];
  onPick: (value: string) => void;
}

function ChipMenu({ name, label, value, set = false, chosen, options, onPick }: ChipProps) {
  const { t } = useTranslation('shared');
  const words = name === undefined ? value : `${t('filterName', { name })} ${value}`;
  return (
    <MenuButton
      label={words}
      icon={ChevronDown}
      iconOnly={false}
      align="start"
      entries={() => [{ label: label ?? name ?? value, value: chosen, options, onPick }]}
      className={cx(
        'h-7.5! max-w-full flex-row-reverse rounded-full! px-3! font-normal! max-sm:h-9!',
        set && 'border-accent-line! bg-accent-soft!',
      )}
    />
  );
}
