import { splitList } from '@relay-hub/contract';
import { useWatch, type Control } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { DrawerSection, FieldRow } from '#shared/drawer-section.tsx';
import { FormSelect } from '#shared/form-select.tsx';
import { FormSwitch } from '#shared/form-switch.tsx';
import { FormText, FormTextarea } from '#shared/form-text.tsx';
import { isWildcard } from './channel-models.ts';
import type { ChannelBody, ChannelValues } from './channel-values.ts';

interface Props {
  control: Control<ChannelValues, unknown, ChannelBody>;
  /** Tested while no test model is given. */
  fallbackModel: string | undefined;
}

/** What most channels leave as it is. */
export function AdvancedSection({ control, fallbackModel }: Props) {
  const { t } = useTranslation('channel');
  const models = splitList(useWatch({ control, name: 'models' })).filter((model) => !isWildcard(model));
  const counting = [1, 2, 3] as const;
  return (
    <DrawerSection title={t('form.advanced')} text={t('form.advancedText')} folded>
      <FieldRow>
        <FormText
          control={control}
          name="test_model"
          label={t('form.testModel')}
          optional
          suggestions={models}
          placeholder={fallbackModel}
          hint={t('form.testModelHint')}
          maxLength={100}
        />
        <FormSelect
          control={control}
          name="pre_cost"
          label={t('form.preCost')}
          options={counting.map((value) => ({ value, label: t(`form.preCost${value}`) }))}
          hint={t('form.preCostHint')}
        />
      </FieldRow>
      <FormTextarea
        control={control}
        name="model_headers"
        label={t('form.headers')}
        optional
        mono
        rows={2}
        placeholder='{ "x-team": "blue" }'
        hint={t('form.headersHint')}
      />
      <FormSwitch control={control} name="only_chat" label={t('form.onlyChat')} hint={t('form.onlyChatHint')} />
    </DrawerSection>
  );
}
