import { redemptionApi, redemptionStatus, type RedemptionTotals } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
import { Checkbox } from '#ui/form/checkbox.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { Money } from '#ui/format/money.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { redemptionTotals, refreshCodes } from './redemption-api.ts';
import { noFilters } from './redemption-defaults.ts';

const kinds = [
  { sum: 'redeemed', status: redemptionStatus.used, word: 'states.used' },
  { sum: 'expired', status: redemptionStatus.expired, word: 'states.expired' },
  { sum: 'disabled', status: redemptionStatus.disabled, word: 'states.disabled' },
] as const;

type Kind = (typeof kinds)[number];

/** Deletes codes that can no longer be redeemed, after showing their number. */
export function ClearDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('redemption');
  const { data: totals } = useQuery({ ...redemptionTotals(noFilters), staleTime: 0 });
  const [kept, setKept] = useState<ReadonlySet<Kind>>(new Set());
  const client = useQueryClient();
  const there = kinds.filter(({ sum }) => totals && totals[sum].count > 0);
  const chosen = there.filter((kind) => !kept.has(kind));
  const count = chosen.reduce((all, { sum }) => all + (totals?.[sum].count ?? 0), 0);
  const clear = useMutation({
    mutationFn: () =>
      call(redemptionApi.removeInvalid, { query: { statuses: chosen.map(({ status }) => status).join(',') } }),
    onSuccess: (removed) => toast.success(t('cleared', { count: removed })),
    onSettled: () => refreshCodes(client),
  });
  const toggle = (kind: Kind, on: boolean) =>
    setKept((now) => new Set(on ? [...now].filter((each) => each !== kind) : [...now, kind]));
  return (
    <Dialog
      title={t('clearTitle')}
      text={t('clearText')}
      width={400}
      onClose={onClose}
      footer={(close) => (
        <>
          <Button onClick={close}>{t(there.length > 0 ? 'keep' : 'done')}</Button>
          {there.length > 0 && (
            <Button
              variant="danger"
              disabled={count === 0}
              busy={clear.isPending}
              onClick={() => clear.mutate(undefined, { onSuccess: close })}
            >
              {t('clearAction', { count })}
            </Button>
          )}
        </>
      )}
    >
      {!totals && <Skeleton className="h-30 rounded-card" />}
      {totals && there.length === 0 && <p className="text-text2">{t('clearNothing')}</p>}
      {totals && there.length > 0 && (
        <div className="rounded-card border border-line">
          {there.map((kind) => (
            <KindRow key={kind.sum} kind={kind} totals={totals} on={!kept.has(kind)} onChange={toggle} />
          ))}
        </div>
      )}
    </Dialog>
  );
}

interface RowProps {
  kind: Kind;
  totals: RedemptionTotals;
  on: boolean;
  onChange: (kind: Kind, on: boolean) => void;
}

function KindRow({ kind, totals, on, onChange }: RowProps) {
  const { t } = useTranslation('redemption');
  const { count, quota } = totals[kind.sum];
  return (
    <label className="flex min-h-11 cursor-pointer items-center gap-3 border-t border-line px-3 first:border-t-0">
      <Checkbox checked={on} onChange={(next) => onChange(kind, next)} />
      <span className="min-w-0 flex-1 tabular-nums">
        {t('clearKind', { kind: t(kind.word), total: formatWhole(count) })}
      </span>
      <Money credits={quota} className="text-text2" />
    </label>
  );
}
