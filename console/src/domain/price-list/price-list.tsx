import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useCallback, useDeferredValue, useMemo } from 'react';
import { Box } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { availableQuery } from '#api/available.ts';
import { selfQuery } from '#api/self.ts';
import { useSession } from '#api/session.ts';
import { useUserGroups } from '#api/user-groups.ts';
import { languageTag } from '#i18n/i18n.ts';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { useLatest } from '#ui/basic/use-latest.ts';
import { useMedia } from '#ui/basic/use-media.ts';
import { useOwners } from '#api/owners.ts';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { OwnerTile } from '#domain/model/owner-tile.tsx';
import { PriceListBody } from './price-list-body.tsx';
import { type FilterProps, noOwners, PriceListFilters } from './price-list-filters.tsx';
import { chooseGroup, countOwners, findModels, newestVersion, ownerValue, pricedModels } from './price-list-rows.ts';
import { type PriceListSearch, unitOf } from './price-list-search.ts';

const row = 'flex h-9 w-full items-center gap-2.5 rounded-control px-2.5 text-left text-13 transition-colors';

/** The model owners with their number of models, as a sticky filter. */
function PriceListOwners({ search, onSearch, owners, total }: FilterProps & { total: number }) {
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

const CalculatorDialog = lazy(async () => ({
  default: (await import('#domain/charge/calculator-dialog.tsx')).CalculatorDialog,
}));

interface Props {
  search: PriceListSearch;
  onSearch: (change: Partial<PriceListSearch>) => void;
  /** Renders the heading, given the price version. */
  heading: (facts: { group: string; version: { version: number; from: number } | undefined }) => ReactNode;
}

/** Prices of all models for a group: searchable, filtered by owner, in dollars or yuan. */
export function PriceList({ search, onSearch, heading }: Props) {
  useTranslation('price');
  const { data, error, isFetching, refetch } = useQuery(availableQuery);
  const groups = useUserGroups();
  const signedIn = useSession().user !== undefined;
  const own = useQuery({ ...selfQuery, enabled: signedIn }).data?.group;
  const group = chooseGroup(groups, search.group, own);
  const language = languageTag();
  const models = useMemo(() => pricedModels(data, language), [data, language]);
  // Deferred: rendering a long list must not block input.
  const { keyword, owner, type } = useDeferredValue(search);
  const found = useMemo(() => findModels(models, { keyword, owner, type }), [models, keyword, owner, type]);
  const { currency, per } = search;
  const unit = useMemo(() => unitOf({ currency, per }), [currency, per]);
  const owners = useMemo(() => countOwners(models), [models]);
  const version = useMemo(() => newestVersion(models), [models]);
  const narrow = useMedia(noOwners);
  const latest = useLatest(onSearch);
  // Stable, because rows are memoised.
  const calculate = useCallback((model: string) => latest.current({ calculate: model }), [latest]);
  const calculated = models.find(({ model }) => model === search.calculate);
  const filters = { search, onSearch, groups, group, owners };
  return (
    <>
      {heading({ group: group?.name ?? '', version })}
      <PriceListFilters {...filters} />
      {error && !data ? (
        <div className="rounded-card border border-line bg-card">
          <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
        </div>
      ) : (
        <div className="flex min-w-0 items-start gap-6">
          {!narrow && <PriceListOwners {...filters} total={models.length} />}
          <div className="@container min-w-0 flex-1">
            <PriceListBody
              models={data && found}
              total={models.length}
              group={group}
              groups={groups}
              unit={unit}
              onCalculate={calculate}
              onClear={() => onSearch({ keyword: '', owner: '', type: '' })}
            />
          </div>
        </div>
      )}
      {calculated && (
        <Suspense>
          <CalculatorDialog
            key={calculated.model}
            model={calculated}
            groups={groups}
            group={group}
            unit={unit}
            onClose={() => onSearch({ calculate: '' })}
          />
        </Suspense>
      )}
    </>
  );
}
