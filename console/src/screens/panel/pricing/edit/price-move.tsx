import { priceStep, type Price } from '@relay-hub/contract';
import type { ReactNode } from 'react';
import { useWatch } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { Note } from '#ui/feedback/note.tsx';
import { formatPlain } from '#ui/format/number.ts';
import { PercentMove } from './percent-move.tsx';
import { rulesFor, termsOf, type PriceFormMethods } from './price-values.ts';

/** The change of both main ratios by saving, with a warning about large ones; null without a change. */
export function usePriceMove(control: PriceFormMethods['control'], before: Price | undefined): ReactNode {
  const { t } = useTranslation('pricing');
  const values = useWatch({ control });
  const parsed = rulesFor(values.type).safeParse({ ...values, models: ['any'], channel_type: 1 });
  if (!parsed.success || !before) return null;
  const after = termsOf(parsed.data);
  const sides = after.type === 'times' ? (['input'] as const) : (['input', 'output'] as const);
  const moves = sides.filter((side) => after[side] !== before[side]);
  const jumps = priceStep(before, after).jumps.length > 0;
  if (moves.length === 0 && !jumps) return null;
  return (
    <Note tone={jumps ? 'warn' : 'info'} live={jumps}>
      <span className="flex flex-wrap gap-x-4 gap-y-1 tabular-nums">
        {before.type === after.type &&
          moves.map((side) => (
            <span key={side}>
              {t(after.type === 'times' ? 'perCall' : side)} {formatPlain(before[side], 10)} →{' '}
              {formatPlain(after[side], 10)} <PercentMove before={before[side]} after={after[side]} />
            </span>
          ))}
        {jumps && <b className="font-title">{t(before.type === after.type ? 'jump' : 'otherType')}</b>}
      </span>
    </Note>
  );
}
