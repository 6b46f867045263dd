import { type ChannelType, modelPattern, type PriceInput, splitList } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { type UseFormReturn, useWatch } from 'react-hook-form';
import { Copy, ListPlus } from 'lucide-react';
import { atBase } from '#base-path.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { DrawerSection } from '#ui/overlay/drawer-section.tsx';
import { FormChips } from '#ui/form/form-chips.tsx';
import { FormTextarea } from '#ui/form/form-text.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { modelPrices } from '#screens/panel/channel/channel-more-api.ts';
import { Button } from '#ui/basic/button.tsx';
import { copyText } from '#ui/format/clipboard.ts';
import { shortList, unpricedModels } from './channel-models.ts';
import type { ChannelBody, ChannelValues } from './channel-values.ts';
import { FetchModels } from './fetch-models.tsx';
import type { PrivateAddress } from './private-address.tsx';

interface FillModelsProps {
  form: UseFormReturn<ChannelValues, unknown, ChannelBody>;
  type: ChannelType | undefined;
  models: readonly string[];
  priced: readonly PriceInput[];
}

/** Adds the type's models: its defaults, and its maker's models that have a price. */
function FillModels({ form, type, models, priced }: FillModelsProps) {
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

interface Props {
  form: UseFormReturn<ChannelValues, unknown, ChannelBody>;
  type: ChannelType | undefined;
  /** 0 for a new channel. */
  channelId: number;
  privacy: PrivateAddress;
}

const named = 4;
const none: PriceInput[] = [];

/** The models that the channel serves, and the names callers use. */
export function ModelsSection({ form, type, channelId, privacy }: Props) {
  const { t } = useTranslation('channelForm');
  const { control } = form;
  const models = splitList(useWatch({ control, name: 'models' }));
  const unpriced = useUnpriced(models, useWatch({ control, name: 'model_mapping' }));
  const priced = useQuery(modelPrices).data;
  const suggestions = useMemo(() => priced?.map(({ model }) => model) ?? [], [priced]);
  const markOf = (model: string) => {
    if (!modelPattern.safeParse(model).success) return { tone: 'bad', text: t('models.wrong') } as const;
    return unpriced.has(model) ? ({ tone: 'warn', text: t('models.unpriced') } as const) : undefined;
  };
  return (
    <DrawerSection
      title={t('models.title')}
      text={models.length > 0 ? t('models.count', { count: models.length }) : t('models.text')}
    >
      <div className="grid grid-cols-1 gap-2.5">
        <FormChips
          control={control}
          name="models"
          label={t('models.field')}
          hideLabel
          joined
          suggestions={suggestions}
          markOf={markOf}
          placeholder={t('models.add')}
          hint={t('models.hint')}
        />
        <FetchModels form={form} type={type} channelId={channelId} models={models} privacy={privacy}>
          <FillModels form={form} type={type} models={models} priced={priced ?? none} />
        </FetchModels>
        {unpriced.size > 0 && (
          <Note tone="warn">
            {t('models.unpricedSum', { count: unpriced.size, list: shortList([...unpriced], named) })}{' '}
            <a href={atBase('/panel/pricing')} target="_blank" rel="noreferrer" className="underline">
              {t('models.setPrices')}
            </a>
          </Note>
        )}
      </div>
      {type?.maps_models !== false && (
        <FormTextarea
          control={control}
          name="model_mapping"
          label={t('models.mapping')}
          optional
          mono
          rows={2}
          placeholder='{ "gpt-4-turbo": "gpt-4o" }'
          hint={t('models.mappingHint')}
        />
      )}
    </DrawerSection>
  );
}

/** Models without a price; empty until prices are loaded. */
function useUnpriced(models: readonly string[], mapping: string): ReadonlySet<string> {
  const { data } = useQuery(modelPrices);
  if (!data) return new Set();
  return new Set(
    unpricedModels(
      models,
      mapping,
      data.map(({ model }) => model),
    ),
  );
}
