import type { Log, ModelOwner } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { ModelName } from '#domain/model/model-name.tsx';
import { refusalOf } from '#domain/refusal/refusal-text.ts';
import { RefusedRemark } from './log-refused-remark.tsx';

/** Longest name that is never shortened in narrow columns. */
const wholeName = 14;

/** The requested model, if known, and the reason for the refusal. */
export function LogRefusedModel({ row, owner }: { row: Log; owner: ModelOwner | undefined }) {
  const { t } = useTranslation('log');
  return (
    <span className="flex min-w-0 items-center gap-2">
      {row.model_name !== '' && (
        <ModelName
          model={row.model_name}
          owner={owner?.name}
          icon={owner?.icon}
          copies={false}
          className={row.model_name.length > wholeName ? 'min-w-26 shrink-99' : 'flex-none'}
        />
      )}
      {refusalOf(row)?.many_models && <span className="flex-none text-text2">{t('manyModels')}</span>}
      <RefusedRemark row={row} />
    </span>
  );
}
