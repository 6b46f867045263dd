import { tokenStatus, type Token } from '@relay-hub/contract';
import { CircleCheck, CircleMinus, Trash2 } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { BulkAction } from '#ui/table/bulk-bar.tsx';
import type { Selection } from '#ui/table/use-selection.ts';
import type { useTokenActions } from './use-token-actions.ts';

interface Props {
  selection: Selection<Token>;
  actions: ReturnType<typeof useTokenActions>;
  onRemove: (tokens: readonly Token[]) => void;
}

export function TokenBulk({ selection, actions, onRemove }: Props) {
  const { t } = useTranslation('token');
  const { rows, clear } = selection;
  const disabled = rows.filter(({ status }) => status === tokenStatus.disabled);
  const enabled = rows.filter(({ status }) => status === tokenStatus.enabled);
  const act = (run: (...tokens: readonly Token[]) => void, tokens: readonly Token[]) => {
    run(...tokens);
    clear();
  };
  return (
    <>
      {disabled.length > 0 && (
        <BulkAction icon={CircleCheck} onClick={() => act(actions.enable, disabled)}>
          {t('enableMany', { count: disabled.length })}
        </BulkAction>
      )}
      {enabled.length > 0 && (
        <BulkAction icon={CircleMinus} onClick={() => act(actions.disable, enabled)}>
          {t('disableMany', { count: enabled.length })}
        </BulkAction>
      )}
      <BulkAction icon={Trash2} danger onClick={() => onRemove(rows)}>
        {t('removeMany', { count: rows.length })}
      </BulkAction>
    </>
  );
}
