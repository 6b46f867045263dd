import type { Plan } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Gift, Package, Pencil, Power, Trash2, Users } from 'lucide-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import { planList } from '#domain/plan/plan-api.ts';
import { PlanPrice, planText } from '#domain/plan/plan-terms.tsx';
import { useTranslation } from '#i18n/use-translation.ts';
import { CreateButton } from '#list/create-button.tsx';
import { ListHeader, useToolbarWith } from '#list/list-header.tsx';
import { beside, rowId } from '#list/use-list-screen.ts';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { Money } from '#ui/format/money.tsx';
import { formatPercent, formatWhole, withMinus } from '#ui/format/number.ts';
import type { MenuEntries } from '#ui/overlay/menu-entry.ts';
import { DataTable } from '#ui/table/data-table.tsx';
import type { Column } from '#ui/table/table-column.ts';
import type { PlanSearch } from './plan-api.ts';
import { usePlanActions } from './use-plan-actions.ts';

const loadDrawer = () => import('./plan-drawer.tsx');
const PlanDrawer = lazy(async () => ({ default: (await loadDrawer()).PlanDrawer }));
const Subscribers = lazy(async () => ({ default: (await import('./subscribers.tsx')).Subscribers }));
const GiveDialog = lazy(async () => ({ default: (await import('./give-dialog.tsx')).GiveDialog }));

const route = getRouteApi('/panel/plan_sale');
const allRows = { page: 1, size: 10, order: '' };
const nothing = () => undefined;
const nameOf = ({ names }: Plan) => planText(names);

/** Plans on sale, with what they earn and cost. */
export function PlanScreen() {
  const { t } = useTranslation('planAdmin');
  const { keyword, edit, show } = route.useSearch();
  const navigate = route.useNavigate();
  const go = (change: Partial<PlanSearch>, options?: typeof beside) =>
    void navigate({ search: (now) => ({ ...now, ...change }), ...options });
  const query = useQuery(planList);
  const [giving, setGiving] = useState<Plan>();
  const { sell, remove } = usePlanActions();
  const plans = query.data ?? [];
  const word = keyword.trim().toLowerCase();
  const found = plans.filter(({ names }) => Object.values(names).some((name) => name.toLowerCase().includes(word)));
  const shown = plans.find(({ id }) => id === show);
  const open = ({ id }: Plan) => go({ edit: String(id) });
  const menu = (plan: Plan): MenuEntries => [
    { label: t('subscribers'), icon: Users, onSelect: () => go({ show: plan.id }, beside) },
    { label: t('give'), icon: Gift, onSelect: () => setGiving(plan) },
    'line',
    { label: t('edit'), icon: Pencil, onSelect: () => open(plan) },
    { label: t(plan.enabled ? 'takeOff' : 'putOn'), icon: Power, saves: true, onSelect: () => sell(plan) },
    // A sold plan stays, because its periods refer to it.
    plan.sold === 0 && { label: t('remove'), icon: Trash2, danger: true, onSelect: () => remove(plan) },
  ];
  const add = <CreateButton label={t('add')} preload={loadDrawer} onCreate={() => go({ edit: 'new' })} />;
  const toolbar = {
    search: { value: keyword, placeholder: t('search'), onChange: (next: string) => go({ keyword: next }) },
  };
  return (
    <>
      <ListHeader title={t('title')} text={t('text')} actions={add} />
      <DataTable
        name="plan"
        label={t('title')}
        columns={useColumns()}
        page={{ ...query, data: query.data && { data: found, total_count: found.length } }}
        search={allRows}
        onSearch={nothing}
        keyOf={rowId}
        nameOf={nameOf}
        toolbar={useToolbarWith(toolbar, add)}
        empty={<EmptyState icon={Package} title={t('emptyTitle')} text={t('emptyText')} action={add} />}
        onOpen={open}
        activeKey={show || Number(edit) || undefined}
        rowMenu={menu}
        unpaged
        summary={t('count', { count: found.length })}
        note={plans.some((plan) => plan.sold > 0) && t('marginNote')}
      />
      <Suspense>
        {edit !== '' && <PlanDrawer key={edit} edit={edit} onClose={() => go({ edit: '' })} />}
        {edit === '' && shown && (
          <Subscribers
            key={shown.id}
            plan={shown}
            onGive={() => setGiving(shown)}
            onEdit={() => go({ edit: String(shown.id), show: 0 })}
            onClose={() => go({ show: 0 }, beside)}
          />
        )}
        {giving && <GiveDialog plan={giving} onClose={() => setGiving(undefined)} />}
      </Suspense>
    </>
  );
}

const right = { align: 'right', width: 104 } as const;

function useColumns(): readonly Column<Plan>[] {
  const { t } = useTranslation('planAdmin');
  return useMemo(
    () => [
      {
        id: 'name',
        head: t('name'),
        hideable: false,
        phone: 'title',
        cell: ({ names }) => <span className="block truncate font-title">{planText(names)}</span>,
      },
      {
        id: 'price',
        head: t('price'),
        width: 150,
        phone: 'line',
        cell: ({ terms }) => <PlanPrice terms={terms} />,
      },
      { id: 'state', head: t('state'), width: 124, phone: 'value', cell: (plan) => <SaleStatus plan={plan} /> },
      {
        id: 'active',
        head: t('subscribers'),
        ...right,
        phone: 'aside',
        phoneCell: ({ active }) => `${t('subscribers')} ${formatWhole(active)}`,
        cell: ({ active, stock }) =>
          stock === null ? formatWhole(active) : `${formatWhole(active)} / ${formatWhole(stock)}`,
      },
      { id: 'sold', head: t('sold'), ...right, width: 88, hidden: true, cell: ({ sold }) => formatWhole(sold) },
      { id: 'revenue', head: t('revenue'), ...right, cell: ({ revenue }) => <Money credits={revenue} /> },
      { id: 'used', head: t('used'), ...right, width: 120, cell: ({ used }) => <Money credits={used} /> },
      { id: 'cost', head: t('cost'), ...right, width: 112, cell: ({ cost }) => <Money credits={cost} /> },
      {
        id: 'margin',
        head: t('margin'),
        ...right,
        width: 140,
        phone: 'foot',
        phoneCell: (plan) => (
          <>
            {t('margin')} <Margin plan={plan} />
          </>
        ),
        cell: (plan) => <Margin plan={plan} />,
      },
    ],
    [t],
  );
}

/** Revenue less purchase cost, and its share of the revenue. */
function Margin({ plan: { revenue, cost } }: { plan: Plan }) {
  const { t } = useTranslation('planAdmin');
  const margin = revenue - cost;
  return (
    <span className={margin < 0 ? 'text-bad' : undefined}>
      {margin < 0 && `${t('loss')} `}
      <Money credits={margin} />
      {margin >= 0 && revenue > 0 && (
        <span className="text-text2"> · {withMinus(formatPercent(margin / revenue, 0))}</span>
      )}
    </span>
  );
}

function SaleStatus({ plan: { enabled, stock, active } }: { plan: Plan }) {
  const { t } = useTranslation('planAdmin');
  if (!enabled) return <Status kind="disabled" text={t('offSale')} />;
  if (stock !== null && active >= stock) return <Status kind="exhausted" text={t('soldOut')} />;
  return <Status kind="enabled" text={t('onSale')} />;
}
