import type { Redemption } from '@relay-hub/contract';
import { CircleCheck, CircleMinus, Trash2 } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { BulkAction } from '#ui/table/bulk-bar.tsx';
import type { Selection } from '#ui/table/use-selection.ts';
import { useNow } from '#ui/format/use-now.ts';
import { stateOf } from './redemption-state.ts';
import type { useRedemptionActions } from './use-redemption-actions.ts';

interface Props {
  selection: Selection<Redemption>;
  act: ReturnType<typeof useRedemptionActions>;
}

export function RedemptionBulk({ selection: { rows, clear }, act }: Props) {
  const { t } = useTranslation('redemption');
  const now = useNow(30);
  const disabled = rows.filter((row) => stateOf(row, now) === 'disabled');
  const open = rows.filter((row) => stateOf(row, now) === 'unredeemed');
  const run = (...what: Parameters<typeof act>) => {
    act(...what);
    clear();
  };
  return (
    <>
      {disabled.length > 0 && (
        <BulkAction icon={CircleCheck} onClick={() => run('enable', ...disabled)}>
          {t('enableMany', { count: disabled.length })}
        </BulkAction>
      )}
      {open.length > 0 && (
        <BulkAction icon={CircleMinus} onClick={() => run('disable', ...open)}>
          {t('disableMany', { count: open.length })}
        </BulkAction>
      )}
      <BulkAction icon={Trash2} danger onClick={() => run('remove', ...rows)}>
        {t('removeMany', { count: rows.length })}
      </BulkAction>
    </>
  );
}
