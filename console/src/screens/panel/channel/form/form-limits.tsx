import { gonePolicies } from '@relay-hub/contract';
import { useWatch, type Control } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { DrawerSection, FieldRow } from '#ui/overlay/drawer-section.tsx';
import { FormNumber } from '#ui/form/form-number.tsx';
import { FormSelect } from '#ui/form/form-select.tsx';
import type { ChannelBody, ChannelValues } from './channel-values.ts';

const timeouts = [
  ['connect_timeout', 'connectTimeout'],
  ['first_token_timeout', 'firstTokenTimeout'],
  ['idle_timeout', 'idleTimeout'],
  ['total_timeout', 'totalTimeout'],
] as const;

/** Timeouts, and the policy for calls whose client disconnected. */
export function LimitsSection({ control }: { control: Control<ChannelValues, unknown, ChannelBody> }) {
  const { t } = useTranslation('channelForm');
  const policy = useWatch({ control, name: 'on_client_gone' });
  return (
    <DrawerSection title={t('form.limits')} text={t('form.limitsText')} folded>
      <div>
        <div className="grid grid-cols-4 items-start gap-4 max-sm:grid-cols-2">
          {timeouts.map(([name, words]) => (
            <FormNumber
              key={name}
              control={control}
              name={name}
              label={t(`form.${words}`)}
              whole
              suffix={t('form.seconds')}
              placeholder={t('form.byDefault')}
            />
          ))}
        </div>
        <p className="mt-1.5 text-12 text-text3">{t('form.timeoutHint')}</p>
      </div>
      <FieldRow>
        <FormSelect
          control={control}
          name="on_client_gone"
          label={t('form.onGone')}
          options={gonePolicies.map((value) => ({ value, label: t(`form.gone.${value}`) }))}
          hint={t('form.goneHint')}
        />
        {policy === 'limit' && (
          <div className="grid grid-cols-2 items-start gap-4">
            <FormNumber
              control={control}
              name="gone_seconds"
              label={t('form.goneSeconds')}
              whole
              suffix={t('form.seconds')}
            />
            <FormNumber
              control={control}
              name="gone_tokens"
              label={t('form.goneTokens')}
              whole
              suffix={t('form.tokens')}
            />
          </div>
        )}
      </FieldRow>
    </DrawerSection>
  );
}
