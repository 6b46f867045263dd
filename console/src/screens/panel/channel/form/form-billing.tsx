import { splitList, unpricedPolicies } from '@relay-hub/contract';
import { lazy, Suspense, useState } from 'react';
import { useWatch, type Control } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { DrawerSection, FieldRow } from '#ui/overlay/drawer-section.tsx';
import { FormNumber } from '#ui/form/form-number.tsx';
import { FormSelect } from '#ui/form/form-select.tsx';
import type { ChannelBody, ChannelValues } from './channel-values.ts';

const PurchaseDialog = lazy(() => import('./purchase-dialog.tsx'));

interface Props {
  control: Control<ChannelValues, unknown, ChannelBody>;
  /** Own purchase prices belong to one existing channel; 0: none. */
  channelId?: number;
}

/** Options that cost extra at the provider, and what the channel pays. */
export function BillingSection({ control, channelId = 0 }: Props) {
  const { t } = useTranslation('channelForm');
  const [buying, setBuying] = useState(false);
  const models = useWatch({ control, name: 'models' });
  return (
    <DrawerSection title={t('form.billing')} text={t('form.billingText')} folded>
      <FieldRow>
        {(['unpriced_tiers', 'unpriced_tools'] as const).map((name) => (
          <FormSelect
            key={name}
            control={control}
            name={name}
            label={t(name === 'unpriced_tiers' ? 'form.unpricedTiers' : 'form.unpricedTools')}
            options={unpricedPolicies.map((value) => ({ value, label: t(`form.unpriced.${value || 'site'}`) }))}
            hint={name === 'unpriced_tiers' ? t('form.unpricedHint') : undefined}
          />
        ))}
      </FieldRow>
      <FieldRow>
        <FormSelect
          control={control}
          name="default_tier"
          label={t('form.defaultTier')}
          options={[
            { value: '', label: t('form.standardTier') },
            ...['flex', 'priority', 'scale'].map((value) => ({ value, label: value })),
          ]}
          hint={t('form.defaultTierHint')}
        />
        <FormNumber
          control={control}
          name="cost_ratio"
          label={t('form.costRatio')}
          suffix="×"
          placeholder={t('form.costUnknown')}
          hint={t('form.costRatioHint')}
          optional
        />
      </FieldRow>
      {channelId > 0 && (
        <div>
          <Button size="sm" onClick={() => setBuying(true)}>
            {t('purchase.button')}
          </Button>
        </div>
      )}
      {buying && (
        <Suspense>
          <PurchaseDialog channelId={channelId} models={splitList(models)} onClose={() => setBuying(false)} />
        </Suspense>
      )}
    </DrawerSection>
  );
}
