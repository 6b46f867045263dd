import { priceText } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { useWatch, type Control } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { pricesQuery } from '#api/model-owners.ts';
import type { GroupBody, GroupValues } from './user-group-values.ts';

interface Props {
  control: Control<GroupValues, unknown, GroupBody>;
  /** The stored ratio; undefined for a new group. */
  before: number | undefined;
}

const unit = { currency: 'USD', per: 1_000_000 } as const;
const known = 'gpt-4o';

/** Price of a well-known model with the entered ratio. */
export function GroupPriceExample({ control, before = 1 }: Props) {
  const { t } = useTranslation('userGroup');
  const prices = useQuery(pricesQuery).data ?? [];
  const typed = useWatch({ control, name: 'ratio' });
  const ratio = typeof typed === 'number' && typed >= 0 ? typed : before;
  const byToken = prices.filter(({ type, input, output }) => type === 'tokens' && input + output > 0);
  const price = byToken.find(({ model }) => model === known) ?? byToken[0];
  if (!price) return <div />;
  const words = (rate: number, times: number) => priceText([rate, times], unit) ?? t('free');
  return (
    <div className="text-13">
      <p className="mb-1.5 truncate font-title">{t('example', { model: price.model })}</p>
      <p className="flex min-h-9 flex-wrap items-center gap-x-4 gap-y-1 text-text2 tabular-nums">
        {(
          [
            ['exampleIn', price.input],
            ['exampleOut', price.output],
          ] as const
        ).map(([label, rate]) => (
          <span key={label}>
            {t(label)} {ratio !== before && `${words(rate, before)} → `}
            <span className="font-title text-text">{words(rate, ratio)}</span>
          </span>
        ))}
      </p>
    </div>
  );
}
