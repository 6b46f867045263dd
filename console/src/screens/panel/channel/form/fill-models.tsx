import { splitList, type ChannelType, type PriceInput } from '@relay-hub/contract';
import { Copy, ListPlus } from 'lucide-react';
import { useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { copyText } from '#ui/format/clipboard.ts';
import type { ChannelBody, ChannelValues } from './channel-values.ts';

interface Props {
  form: UseFormReturn<ChannelValues, unknown, ChannelBody>;
  type: ChannelType | undefined;
  models: readonly string[];
  priced: readonly PriceInput[];
}

/** Adds the type's models: its defaults, and its maker's models that have a price. */
export function FillModels({ form, type, models, priced }: Props) {
  const { t } = useTranslation('channelForm');
  const [filled, setFilled] = useState<number>();
  const related = type ? [...type.models, ...modelsOf(type.owner, priced)] : [];
  const fill = () => {
    const next = [...new Set([...models, ...related])];
    setFilled(next.length - models.length);
    form.setValue('models', next.join(','), { shouldDirty: true, shouldValidate: true });
  };
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      {related.length > 0 && (
        <Button icon={ListPlus} onClick={fill}>
          {t('models.fill')}
        </Button>
      )}
      {models.length > 0 && (
        <Button
          icon={Copy}
          variant="ghost"
          onClick={() => void copyText(splitList(form.getValues('models')).join(','))}
        >
          {t('models.copyAll')}
        </Button>
      )}
      <span role="status" className="text-13 text-text2">
        {filled !== undefined && (filled > 0 ? t('models.filled', { count: filled }) : t('models.nothingToFill'))}
      </span>
    </div>
  );
}

const modelsOf = (owner: number, priced: readonly PriceInput[]): string[] =>
  owner === 0 ? [] : priced.filter((price) => price.channel_type === owner).map(({ model }) => model);
