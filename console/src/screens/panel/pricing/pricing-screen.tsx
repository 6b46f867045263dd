import type { Price } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { History, Pencil, RefreshCw, Trash2 } from 'lucide-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { languageTag } from '#i18n/i18n.ts';
import { useOwners } from '#api/owners.ts';
import { CreateButton } from '#list/create-button.tsx';
import { stepping, useRecordScreen } from '#list/use-list-screen.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { PageHeader } from '#ui/basic/page-header.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { LastUpdate } from '#screens/panel/pricing/update/last-update.tsx';
import type { PriceBulkAct } from '#screens/panel/pricing/edit/price-bulk.tsx';
import { DataTable } from '#ui/table/data-table.tsx';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import type { PricingSearch } from './pricing-defaults.ts';
import {
  findPrices,
  keyOfGroup,
  keyOfPrice,
  mergePrices,
  type OwnPriceGroup,
  pageOfSorted,
  unitOf,
} from './pricing-search.ts';
import { pricesInForce } from './pricing-api.ts';
import { Empty, PriceBulk, SingleTable, type TableProps, useStable } from './single-table.tsx';
import { usePriceActions } from './use-price-actions.ts';
import { usePricingToolbar } from './use-pricing-toolbar.tsx';
import { useGroupColumns } from './use-price-columns.tsx';

const first = ({ models }: OwnPriceGroup): string => models[0] ?? '';

/** One row per group of models with equal terms. */
function MergedTable({ page, found, search, unit, actions, onSearch, onBulk, ...props }: TableProps) {
  const { t } = useTranslation('pricing');
  const groups = useMemo(() => mergePrices(found), [found]);
  const rows = page.data && pageOfSorted(groups, search, keyOfGroup, languageTag());
  const open = (group: OwnPriceGroup) => onSearch({ edit: `group:${first(group)}` });
  const menu = (group: OwnPriceGroup): MenuEntries => [
    { label: t('edit'), icon: Pencil, onSelect: () => open(group) },
    'line',
    {
      label: t('removeMany', { count: group.models.length }),
      icon: Trash2,
      danger: true,
      onSelect: () => actions.remove(group.prices),
    },
  ];
  return (
    <DataTable
      name="pricing-merged"
      label={t('title')}
      columns={useGroupColumns(useStable(unit))}
      page={{ ...page, data: rows }}
      search={search}
      onSearch={onSearch}
      keyOf={first}
      nameOf={first}
      toolbar={props.toolbar}
      empty={<Empty {...props.empty} />}
      onOpen={open}
      activeKey={search.edit.replace(/^group:/, '')}
      rowMenu={menu}
      bulk={(selection) => (
        <PriceBulk
          prices={selection.rows.flatMap(({ prices }) => prices)}
          onClear={selection.clear}
          actions={actions}
          onBulk={onBulk}
        />
      )}
      allRows={async () => groups}
    />
  );
}

const loadDrawer = () => import('#screens/panel/pricing/edit/price-drawer.tsx');
const PriceDrawer = lazy(async () => ({ default: (await loadDrawer()).PriceDrawer }));
const ModelView = lazy(async () => ({ default: (await import('./view/model-view.tsx')).ModelView }));
const MergeDrawer = lazy(async () => ({ default: (await loadDrawer()).MergeDrawer }));
const PricingDialogs = lazy(async () => ({ default: (await import('./pricing-dialogs.tsx')).PricingDialogs }));
const BulkDialog = lazy(async () => ({
  default: (await import('#screens/panel/pricing/edit/bulk-dialog.tsx')).BulkDialog,
}));

const route = getRouteApi('/panel/pricing');
const none: Price[] = [];

export function PricingScreen() {
  const { t } = useTranslation('pricing');
  const { search, go, create, closeForm } = useRecordScreen(route.useSearch(), route.useNavigate());
  const list = useQuery(pricesInForce);
  const prices = list.data ?? none;
  const owners = useOwners();
  const { keyword, type, owner, source } = search;
  const found = useMemo(
    () => findPrices(prices, { keyword, type, owner, source }, owners),
    [prices, keyword, type, owner, source, owners],
  );
  const actions = usePriceActions();
  const [bulkAct, setBulkAct] = useState<PriceBulkAct>();
  const phone = useIsPhone();
  const toolbar = usePricingToolbar({ search, prices, onSearch: go });
  const add = <CreateButton label={t('add')} preload={loadDrawer} onCreate={create} />;
  const openUpdate = { icon: RefreshCw, onClick: () => go({ open: 'update' }) };
  const update = <Button {...openUpdate}>{t('update')}</Button>;
  const history = (
    <IconButton label={t('changes')} icon={History} variant="default" onClick={() => go({ open: 'changes' })} />
  );
  const actionsOfPage = (
    <span className="flex flex-none gap-2">
      {history}
      {phone ? <IconButton label={t('update')} variant="default" {...openUpdate} /> : update}
      {add}
    </span>
  );
  const table = {
    page: list,
    found,
    prices,
    search,
    unit: unitOf(search.unit),
    toolbar: phone ? { ...toolbar, children: undefined, aside: actionsOfPage, below: toolbar.children } : toolbar,
    empty: { add, update },
    actions,
    onSearch: (change: Partial<PricingSearch>) => go(change, { resetScroll: change.show === undefined }),
    onBulk: setBulkAct,
  };
  return (
    <>
      <PageHeader
        title={t('title')}
        {...(!phone && { text: t('text'), help: <p className="whitespace-pre-line">{t('help')}</p> })}
      >
        {!phone && actionsOfPage}
      </PageHeader>
      <LastUpdate onShow={(id) => go({ open: `change:${id}` })} onUndo={actions.undo} busy={actions.busy} />
      {search.view === 'merged' ? <MergedTable {...table} /> : <SingleTable {...table} />}
      <Suspense>
        {search.show !== '' && search.edit === '' && list.data && (
          <ModelView
            model={search.show}
            rows={pageOfSorted(found, search, keyOfPrice, languageTag()).data}
            prices={prices}
            unit={unitOf(search.unit)}
            onGo={(show) => go({ show }, stepping)}
            onEdit={(edit) => go({ edit })}
            onClose={() => go({ show: '' }, stepping)}
          />
        )}
        {search.edit !== '' && list.data && (
          <PriceDrawer key={search.edit} edit={search.edit} prices={prices} actions={actions} onClose={closeForm} />
        )}
        {search.open !== '' && <PricingDialogs open={search.open} actions={actions} onOpen={(open) => go({ open })} />}
        {bulkAct?.act === 'merge' && (
          <MergeDrawer {...bulkAct} actions={actions} onClose={() => setBulkAct(undefined)} />
        )}
        {bulkAct && bulkAct.act !== 'merge' && (
          <BulkDialog {...bulkAct} actions={actions} onClose={() => setBulkAct(undefined)} />
        )}
      </Suspense>
    </>
  );
}
