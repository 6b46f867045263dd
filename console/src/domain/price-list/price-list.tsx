import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useDeferredValue, useMemo, type ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { availableQuery } from '#api/available.ts';
import { selfQuery } from '#api/self.ts';
import { useSession } from '#api/session.ts';
import { useUserGroups } from '#api/user-groups.ts';
import { languageTag } from '#i18n/i18n.ts';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { useLatest } from '#ui/basic/use-latest.ts';
import { useMedia } from '#ui/basic/use-media.ts';
import { PriceListBody } from './price-list-body.tsx';
import { noOwners, PriceListFilters } from './price-list-filters.tsx';
import { PriceListOwners } from './price-list-owners.tsx';
import { chooseGroup, countOwners, findModels, newestVersion, pricedModels } from './price-list-rows.ts';
import { unitOf, type PriceListSearch } from './price-list-search.ts';

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
