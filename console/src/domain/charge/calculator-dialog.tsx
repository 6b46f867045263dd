import type { PriceUnit, UserGroup } from '@relay-hub/contract';
import { useRef } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import type { PricedModel } from '#domain/price-list/price-list-rows.ts';
import { RuleList } from '#domain/price-rules/rule-summary.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { PriceCalculator } from './price-calculator.tsx';

interface Props {
  model: PricedModel;
  groups: Readonly<Record<string, UserGroup>>;
  /** The group whose prices the list shows. */
  group: UserGroup | undefined;
  unit: PriceUnit;
  onClose: () => void;
}

/** The rules of a model's price, and a calculator for the groups that can call it. */
export function CalculatorDialog({ model: { model, groups: symbols, price }, groups, group, unit, onClose }: Props) {
  const { t } = useTranslation('charge');
  const body = useRef<HTMLDivElement>(null);
  const rated = symbols.flatMap((symbol) => groups[symbol] ?? []);
  return (
    <Dialog title={model} text={t('calculatorTitle')} width={900} initialFocus={body} onClose={onClose}>
      <div ref={body} tabIndex={-1} className="grid grid-cols-1 gap-4 outline-none">
        <RuleList
          terms={price}
          groupRatio={group?.ratio ?? 1}
          unit={unit}
          className="gap-6 rounded-control bg-sunk px-3 py-2 text-13 text-text2 sm:columns-2"
        />
        <PriceCalculator terms={price} groups={rated} group={group?.symbol} />
      </div>
    </Dialog>
  );
}
