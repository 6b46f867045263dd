import { cacheAffinities, channelFeatures, splitList, dataPolicies } from '@relay-hub/contract';
import { useController, useWatch, type Control } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { Checkbox } from '#ui/form/checkbox.tsx';
import { DrawerSection, FieldRow } from '#ui/overlay/drawer-section.tsx';
import { FormChips } from '#ui/form/form-chips.tsx';
import { FormSelect } from '#ui/form/form-select.tsx';
import { FormSwitch } from '#ui/form/form-switch.tsx';
import { FormText } from '#ui/form/form-text.tsx';
import { isWildcard } from './channel-models.ts';
import type { ChannelBody, ChannelValues } from './channel-values.ts';
import { HeadersField } from './headers-field.tsx';

interface Props {
  control: Control<ChannelValues, unknown, ChannelBody>;
  /** Whether a channel of the type can be tested with a call. */
  testable: boolean;
}

const counting = [1, 2, 3] as const;

/** Settings that most channels leave at their defaults. */
export function AdvancedSection({ control, testable }: Props) {
  const { t } = useTranslation('channelForm');
  const all = splitList(useWatch({ control, name: 'models' }));
  const models = all.filter((model) => !isWildcard(model));
  return (
    <DrawerSection title={t('form.advanced')} text={t('form.advancedText')} folded>
      <FieldRow>
        {testable && (
          <FormText
            control={control}
            name="test_model"
            label={t('form.testModel')}
            optional
            suggestions={models}
            hint={t('form.testModelHint')}
            maxLength={100}
          />
        )}
        <FormSelect
          control={control}
          name="pre_cost"
          label={t('form.preCost')}
          options={counting.map((value) => ({ value, label: t(`form.preCost${value}`) }))}
          hint={t('form.preCostHint')}
        />
      </FieldRow>
      <FormSelect
        control={control}
        name="cache_affinity"
        label={t('form.cacheAffinity')}
        options={cacheAffinities.map((value) => ({ value, label: t(`form.cacheAffinity_${value}`) }))}
        hint={t('form.cacheAffinityHint')}
      />
      <FormSwitch control={control} name="reply_cache" label={t('form.replyCache')} hint={t('form.replyCacheHint')} />
      <FieldRow>
        <FormText
          control={control}
          name="public_name"
          label={t('form.publicName')}
          optional
          maxLength={100}
          hint={t('form.publicNameHint')}
        />
        <FormText control={control} name="region" label={t('form.region')} optional maxLength={50} />
      </FieldRow>
      <FieldRow>
        <FormSelect
          control={control}
          name="data_policy"
          label={t('form.dataPolicy')}
          options={dataPolicies.map((value) => ({ value, label: t(`form.dataPolicy_${value || 'unknown'}`) }))}
        />
        <FormText control={control} name="quantization" label={t('form.quantization')} optional maxLength={20} />
      </FieldRow>
      <HeadersField control={control} />
      <FormText
        control={control}
        name="proxy"
        label={t('form.proxy')}
        optional
        mono
        placeholder="socks5://user:password@127.0.0.1:1080"
        hint={t('form.proxyHint')}
        maxLength={500}
      />
      <FormSwitch control={control} name="only_chat" label={t('form.onlyChat')} hint={t('form.onlyChatHint')} />
      <FormSwitch
        control={control}
        name="pass_routing_fields"
        label={t('form.passRouting')}
        hint={t('form.passRoutingHint')}
      />
      <Excluded control={control} />
      <FormChips
        control={control}
        name="disabled_stream"
        label={t('form.disabledStream')}
        optional
        suggestions={all}
        placeholder={t('models.add')}
        hint={t('form.disabledStreamHint')}
      />
    </DrawerSection>
  );
}

const excludedTexts = { images: 'excludedImages', streaming: 'excludedStreaming' } as const;

/** Features that exclude the channel for calls requiring them. */
function Excluded({ control }: Pick<Props, 'control'>) {
  const { t } = useTranslation('channelForm');
  const { field } = useController({ control, name: 'excluded' });
  const has = (feature: (typeof channelFeatures)[number]) => field.value.includes(feature);
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 font-title text-13">{t('form.excluded')}</legend>
      <div className="flex flex-wrap gap-x-6 gap-y-2">
        {channelFeatures.map((feature) => (
          <label key={feature} className="flex min-h-6 items-center gap-2 text-13 max-sm:min-h-10">
            <Checkbox
              label={t(`form.${excludedTexts[feature]}`)}
              checked={has(feature)}
              onChange={(on) => field.onChange(channelFeatures.filter((each) => (each === feature ? on : has(each))))}
            />
            <span aria-hidden>{t(`form.${excludedTexts[feature]}`)}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
