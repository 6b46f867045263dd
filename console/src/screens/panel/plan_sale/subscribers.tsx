import { type Plan, planAdminApi, type Subscription, type SubscriptionAction } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CirclePause, CirclePlay, Ellipsis, Gift, Pencil, RefreshCwOff, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { call } from '#api/call.ts';
import { PlanPrice, planText } from '#domain/plan/plan-terms.tsx';
import { refreshBalances } from '#domain/quota/quota-api.ts';
import { amountText } from '#domain/token/limit-words.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { ProgressBar } from '#ui/feedback/progress-bar.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { Segmented } from '#ui/form/segmented.tsx';
import { formatMoney } from '#ui/format/money.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { Time } from '#ui/format/time.tsx';
import { Confirm } from '#ui/overlay/confirm.tsx';
import { DetailDrawer } from '#ui/overlay/detail-drawer.tsx';
import { MenuButton } from '#ui/overlay/menu-button.tsx';
import { refreshPlans, subscriptionsOf } from './plan-api.ts';

interface Props {
  plan: Plan;
  onGive: () => void;
  onEdit: () => void;
  onClose: () => void;
}

type Ask = { action: 'cancel' | 'refund'; of: Subscription };

/** Most rows that the server lists. */
const MOST = 500;

/** The subscribers of a plan, and what an operator can do for them. */
export function Subscribers({ plan, onGive, onEdit, onClose }: Props) {
  const { t } = useTranslation('planAdmin');
  const { data, error, isFetching, refetch } = useQuery(subscriptionsOf(plan.id));
  const [shown, setShown] = useState<'open' | 'all'>('open');
  const [asking, setAsking] = useState<Ask>();
  const manage = useManage();
  const rows = data?.filter(({ status }) => shown === 'all' || status !== 'ended');
  const give = (
    <Button icon={Gift} onClick={onGive}>
      {t('give')}
    </Button>
  );
  return (
    <DetailDrawer
      title={planText(plan.names)}
      subtitle={<PlanPrice terms={plan.terms} />}
      wide
      footer={
        <>
          <Button icon={Pencil} onClick={onEdit}>
            {t('edit')}
          </Button>
          {give}
        </>
      }
      onClose={onClose}
    >
      {error && !data && <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />}
      {!error && !data && <Skeleton width="60%" />}
      {data?.length === 0 && <EmptyState icon={Gift} title={t('noSubscribers')} text={t('noSubscribersText')} />}
      {rows && data && data.length > 0 && (
        <div className="grid grid-cols-1 gap-3">
          <Segmented
            label={t('subscribers')}
            value={shown}
            options={[
              { value: 'open', label: t('openOnes') },
              { value: 'all', label: t('all') },
            ]}
            onChange={setShown}
          />
          {rows.length === 0 ? (
            <p className="text-13 text-text2">{t('allEnded')}</p>
          ) : (
            <ul aria-label={t('subscribers')} className="divide-y divide-line rounded-card border border-line">
              {rows.map((row) => (
                <Row key={row.id} row={row} version={plan.version} onManage={manage} onAsk={setAsking} />
              ))}
            </ul>
          )}
          {data.length === MOST && <p className="text-13 text-text2">{t('newest', { count: MOST })}</p>}
        </div>
      )}
      {asking && <Question {...asking} onManage={manage} onClose={() => setAsking(undefined)} />}
    </DetailDrawer>
  );
}

type Manage = ReturnType<typeof useManage>;

/** Changes a subscription; pause and resume offer Undo. */
function useManage() {
  const { t } = useTranslation('planAdmin');
  const client = useQueryClient();
  const { mutateAsync } = useMutation({
    mutationFn: ({ of, action }: { of: Subscription; action: SubscriptionAction; isUndo?: boolean }) =>
      call(planAdminApi.manage, { params: { id: of.id }, body: { action } }),
    onSuccess: ({ username: user }, { of, action, isUndo }) => {
      const text = t(`done.${action}`, { user });
      const back = action === 'pause' ? 'resume' : action === 'resume' ? 'pause' : undefined;
      if (!back || isUndo) return toast.success(text);
      // The request shows its own failure.
      toast.undo(text, () => void mutateAsync({ of, action: back, isUndo: true }).catch(() => undefined));
    },
    // A refund moves credits.
    onSettled: () => Promise.all([refreshPlans(client), refreshBalances(client)]),
  });
  return (of: Subscription, action: SubscriptionAction) => mutateAsync({ of, action });
}

interface RowProps {
  row: Subscription;
  /** The version in force of the plan. */
  version: number;
  onManage: Manage;
  onAsk: (ask: Ask) => void;
}

function Row({ row, version, onManage, onAsk }: RowProps) {
  const { t } = useTranslation('planAdmin');
  const { username, user_id: userId, status, source } = row;
  const isOpen = status !== 'ended';
  const facts = [
    t(`sources.${source}`),
    t('period', { number: row.period }),
    row.version !== version && t('version', { version: row.version }),
    isOpen && t(row.renew ? 'renews' : 'endsThen'),
  ].filter(Boolean);
  const act = (action: SubscriptionAction) => void onManage(row, action).catch(() => undefined); // shows its own failure
  return (
    <li className="grid grid-cols-[minmax(0,1.2fr)_minmax(0,1fr)_minmax(0,1fr)_auto] items-center gap-x-4 gap-y-2 px-3 py-2.5 text-13 max-sm:grid-cols-[minmax(0,1fr)_auto]">
      <div className="min-w-0">
        <Link
          className="touch block truncate text-14 text-accent hover:underline"
          to="/panel/user"
          search={{ show: userId }}
        >
          {username}
        </Link>
        <span className="block truncate text-12 text-text2">{facts.join(' · ')}</span>
      </div>
      <div className="min-w-0 max-sm:order-1">
        <Status
          kind={status === 'active' ? 'enabled' : status === 'paused' ? 'disabled' : 'closed'}
          text={t(`statuses.${status}`)}
          detail={
            <>
              <Time at={row.starts} as="date" /> – <Time at={row.ends} as="date" />
            </>
          }
        />
      </div>
      <div className="min-w-0 max-sm:order-2 max-sm:col-span-2">
        <Uses row={row} />
      </div>
      {isOpen ? (
        <MenuButton
          label={t('actionsOf', { user: username })}
          icon={Ellipsis}
          size="sm"
          align="end"
          entries={() => [
            status === 'active'
              ? { label: t('pause'), icon: CirclePause, saves: true, onSelect: () => act('pause') }
              : { label: t('resume'), icon: CirclePlay, saves: true, onSelect: () => act('resume') },
            row.renew && {
              label: t('cancel'),
              icon: RefreshCwOff,
              saves: true,
              onSelect: () => onAsk({ action: 'cancel', of: row }),
            },
            'line',
            { label: t('refund'), icon: Undo2, danger: true, onSelect: () => onAsk({ action: 'refund', of: row }) },
          ]}
        />
      ) : (
        <span className="w-7.5" />
      )}
    </li>
  );
}

/** Use of each limit in the present period. */
function Uses({ row: { use } }: { row: Subscription }) {
  const { t } = useTranslation(['planAdmin', 'token']);
  const money = useSiteFormat();
  return (
    <div className="grid grid-cols-1 gap-1">
      {use.map(({ measure, period, used, amount }) => {
        const text = amountText(measure, used, money);
        const of = amount === null ? '' : ` / ${amountText(measure, amount, money)}`;
        const label = period === 'period' ? t('ofPeriod') : t(`token:per.${period}`);
        return (
          <div key={`${measure}:${period}`} className="min-w-0">
            <span className="flex items-baseline justify-between gap-2 text-12 tabular-nums">
              <span className="truncate">
                {text}
                <span className="text-text2">{of}</span>
              </span>
              <span className="flex-none text-text3">{label}</span>
            </span>
            {amount !== null && (
              <ProgressBar
                value={used}
                max={amount}
                label={label}
                text={`${text}${of}`}
                tone={used >= amount ? 'bad' : 'neutral'}
              />
            )}
          </div>
        );
      })}
    </div>
  );
}

function Question({ action, of, onManage, onClose }: Ask & { onManage: Manage; onClose: () => void }) {
  const { t } = useTranslation('planAdmin');
  const money = useSiteFormat();
  const { username: user, refundable } = of;
  const amount = formatMoney(refundable, money);
  const texts =
    action === 'cancel'
      ? { title: t('cancelTitle', { user }), text: t('cancelText'), action: t('cancelAction') }
      : refundable > 0
        ? { title: t('refundTitle', { user, amount }), text: t('refundText'), action: t('refundAction', { amount }) }
        : { title: t('endTitle', { user }), text: t('endText'), action: t('endAction') };
  return <Confirm {...texts} onConfirm={() => onManage(of, action)} onClose={onClose} />;
}
