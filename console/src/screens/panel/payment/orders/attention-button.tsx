import { useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { orderTotals } from '#screens/panel/payment/payment-api.ts';
import type { OrderFilter } from '#screens/panel/payment/payment-search.ts';

interface Props {
  filter: OrderFilter;
  onChange: (filter: OrderFilter) => void;
}

/** Filters the list to the orders that need attention; absent without any, and while that filter is set. */
export function AttentionButton({ filter, onChange }: Props) {
  const { t } = useTranslation('payment');
  const { data } = useQuery(orderTotals(filter));
  const count = data?.attention ?? 0;
  if (count === 0 || filter.attention !== '') return null;
  return (
    <Button
      size="sm"
      icon={TriangleAlert}
      className="rounded-full! border-transparent! bg-warn-soft! px-2.5! text-warn! [&_.lucide]:text-warn!"
      onClick={() => onChange({ ...filter, attention: 'any' })}
    >
      {t('needAttention', { count })}
    </Button>
  );
}
