import { reconciliationApi, type PaymentGateway } from '@relay-hub/contract';
import { useMutation } from '@tanstack/react-query';
import { CreditCard } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { Card } from '#ui/basic/card.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { customRange, rangeSeconds } from '#ui/table/filter.ts';
import { ReconciliationForm, type Statement } from './reconciliation-form.tsx';
import { ReconciliationResult } from './reconciliation-result.tsx';

interface Props {
  gateways: readonly PaymentGateway[];
  /** The button that adds a gateway. */
  add: ReactNode;
}

/** Compares the orders of a gateway with its statement. */
export function ReconciliationTab({ gateways, add }: Props) {
  const { t } = useTranslation(['reconciliation', 'payment']);
  const compare = useMutation({
    mutationFn: ({ gatewayId, from, to, csv }: Statement) => {
      const { start, end } = rangeSeconds(customRange(from, to));
      return call(reconciliationApi.compare, { body: { gateway_id: gatewayId, from: start, to: end, csv } });
    },
    meta: { quiet: true },
  });
  if (gateways.length === 0)
    return (
      <Card>
        <EmptyState icon={CreditCard} title={t('payment:noGatewayTitle')} text={t('noGatewayText')} action={add} />
      </Card>
    );
  return (
    <div className="grid grid-cols-1 gap-4 max-sm:gap-2">
      <ReconciliationForm
        gateways={gateways}
        busy={compare.isPending}
        onCompare={(statement) => compare.mutate(statement)}
      />
      {compare.isPending && <Skeleton className="h-32 rounded-card" />}
      {compare.error && (
        <Note tone="bad" live>
          {compare.error.message}
        </Note>
      )}
      {compare.data && !compare.isPending && <ReconciliationResult result={compare.data} />}
    </div>
  );
}
